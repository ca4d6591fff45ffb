// SPDX-License-Identifier: Apache-2.0
// report.html of a folder, made again: after a step was edited by hand, or by another version of stitchcuda.
#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "driver/project/leave_report.h"

namespace stitch::cli {

Result<int> run_report(Session& session) {
  const CommandLine& line = session.line();
  const std::filesystem::path folder = line.file;
  const std::filesystem::path page = line.out.empty() ? folder / "report.html" : std::filesystem::path(line.out);
  STITCH_TRY(driver::write_report(session.services().resources, folder, page));
  std::error_code ignored;
  const uintmax_t bytes = std::filesystem::file_size(page, ignored);
  session.reporter().result(
      Json{{"schema", "stitchcuda.report/1"}, {"task", line.file}, {"out", page.string()}, {"bytes", bytes}},
      fmt::format("{} ({:.2f} MB, offline)", page.string(), static_cast<double>(bytes) * 1e-6));
  return 0;
}

}  // namespace stitch::cli
