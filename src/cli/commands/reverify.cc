// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/reverify.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {

Result<int> run_reverify(Invocation& invocation) {
  driver::ReverifyRequest request;
  request.folder = invocation.line().file;
  STITCH_ASSIGN(request.options, options_of(invocation.line()));
  STITCH_ASSIGN(const driver::ReverifyReport found, driver::reverify(request, invocation.services()));
  const Json json = {{"schema", "stitchcuda.reverify/1"},
                     {"task", task_name(found.task.file)},
                     {"device", to_string(found.device)},
                     {"recorded_device", to_string(found.recorded_device)},
                     {"manifest", found.manifest.digest},
                     {"seed", evaluate::seed_json(found.report.verify)},
                     {"verdict", to_json(found.report.verify.verdict())},
                     {"agreement", to_json(found.agreement)}};
  const std::string elsewhere = found.device == found.recorded_device
                                    ? ""
                                    : fmt::format("\non the {} device, where the one on record was on {}",
                                                  to_string(found.device), to_string(found.recorded_device));
  invocation.reporter().result(json, describe(found.agreement) + elsewhere + "\n" + driver::describe(found.manifest));
  return found.agreement.agrees() ? 0 : 1;
}

}  // namespace stitch::cli
