// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/json/json.h"
#include "bench/page/bench_page.h"
#include "cli/commands/commands.h"

namespace stitch::cli {

Result<int> run_leaderboard(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  std::vector<bench::BenchReport> reports;
  Json runs = Json::array();
  for (const std::string& name : line.words) {
    STITCH_ASSIGN(const std::filesystem::path folder, bench::find_run_folder(name));
    STITCH_ASSIGN(bench::BenchReport report, bench::read_run(folder));
    runs.push_back(report.spec.id);
    reports.push_back(std::move(report));
  }
  const std::filesystem::path out = line.out.empty() ? "leaderboard" : line.out;
  STITCH_TRY(bench::write_leaderboard(reports, invocation.services().resources.report(), out));
  invocation.reporter().result(Json{{"schema", "stitchcuda.leaderboard/1"}, {"runs", runs}, {"out", out.string()}},
                               fmt::format("{} runs  ->  {}", reports.size(), (out / "index.html").string()));
  return 0;
}

}  // namespace stitch::cli
