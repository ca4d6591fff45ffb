// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/reverify.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {

Result<int> run_reverify(Session& session) {
  driver::ReverifyRequest request;
  request.folder = session.line().file;
  STITCH_ASSIGN(request.options, options_of(session.line()));
  STITCH_ASSIGN(const driver::ReverifyReport found, driver::reverify(request, session.services()));
  const Json json = {{"schema", "stitchcuda.reverify/1"},    {"task", task_name(found.task.file)},
                     {"device", to_string(found.device)},    {"recorded_device", to_string(found.recorded_device)},
                     {"manifest", found.manifest.digest},    {"verdict", to_json(found.report.verify.verdict())},
                     {"agreement", to_json(found.agreement)}};
  const std::string elsewhere = found.device == found.recorded_device
                                    ? ""
                                    : fmt::format("\non the {} device, where the one on record was on {}",
                                                  to_string(found.device), to_string(found.recorded_device));
  session.reporter().result(json, describe(found.agreement) + elsewhere + "\n" + describe(found.manifest));
  return found.agreement.agrees() ? 0 : 1;
}

}  // namespace stitch::cli
