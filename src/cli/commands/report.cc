// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/report.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"

namespace stitch::cli {

Result<int> run_report(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const driver::ReportPage written, driver::report({line.file, line.out}, invocation.services()));
  invocation.reporter().result(to_json(written), fmt::format("{} ({:.2f} MB, offline)", written.page.string(),
                                                             static_cast<double>(written.bytes) * 1e-6));
  return 0;
}

}  // namespace stitch::cli
