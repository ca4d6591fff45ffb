// SPDX-License-Identifier: Apache-2.0
#include "bench/run/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/json/json.h"
#include "bench/answers/audits.h"
#include "bench/compare/compare.h"
#include "bench/page/bench_page.h"
#include "cli/bench/bench_request.h"
#include "cli/bench/bench_view.h"
#include "cli/commands/bench_ablate.h"
#include "cli/commands/commands.h"
#include "runs/record/run_record.h"

namespace stitch::cli {
namespace {

Result<int> run_suite(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(bench::BenchRequest request, bench_request_of(line, invocation.services().resources.root / "problems"));
  const std::unique_ptr<ForkServer> forks = request.store.empty() ? invocation.start_forks() : nullptr;
  request.forks = forks.get();
  bench::BenchEvents events = bench_events(invocation.reporter());
  events.begun = [&invocation, tell = events.begun](const bench::RunSpec& spec, const std::filesystem::path& folder,
                                                    size_t known) {
    invocation.run_log().goes_on_by(fmt::format("stitchcuda bench --resume {}", folder.string()));
    tell(spec, folder, known);
  };
  STITCH_ASSIGN(const bench::BenchReport report, bench::run_bench(request, events));
  STITCH_TRY(bench::write_run_page(report, invocation.services().resources.report()));
  invocation.reporter().result(to_json(report), describe(report));
  const bool is_enough = !line.bench.need.has_value() || report.success() >= *line.bench.need;
  return report.left == 0 && is_enough ? 0 : 1;
}

Result<bench::BenchReport> read_named(const std::string& name) {
  STITCH_ASSIGN(const std::filesystem::path folder, bench::find_run_folder(name));
  return bench::read_run(folder);
}

// What of the conditions differs: a comparison says nothing of the cause where several do.
std::string differences_of(const bench::RunSpec& first, const bench::RunSpec& second) {
  std::string text;
  std::map<std::string, std::string> all = first.conditions;
  all.insert(second.conditions.begin(), second.conditions.end());
  for (const auto& [name, unused] : all) {
    const auto value_in = [&name = name](const bench::RunSpec& spec) {
      const auto found = spec.conditions.find(name);
      return found == spec.conditions.end() ? std::string("none") : found->second;
    };
    if (value_in(first) != value_in(second)) {
      text += fmt::format("{}: {} against {}\n", name, value_in(first), value_in(second));
    }
  }
  return text;
}

Result<int> compare(Invocation& invocation) {
  const std::vector<std::string>& names = invocation.line().words;
  STITCH_ASSIGN(const bench::BenchReport first, read_named(names[0]));
  STITCH_ASSIGN(const bench::BenchReport second, read_named(names[1]));
  STITCH_ASSIGN(const bench::Comparison comparison, bench::compare_runs(first.results, second.results));
  Json json = {{"schema", "stitchcuda.bench_compare/1"}, {"first", first.spec.id}, {"second", second.spec.id}};
  json["conditions"] = {{"first", first.spec.conditions}, {"second", second.spec.conditions}};
  json.update(to_json(comparison));
  invocation.reporter().result(
      json, differences_of(first.spec, second.spec) + describe(comparison, first.spec.id, second.spec.id));
  return 0;
}

Result<int> audit(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const std::filesystem::path folder, bench::find_run_folder(line.words[0]));
  STITCH_ASSIGN(const bench::BenchReport report, bench::read_run(folder));
  bench::Audit found{.task = line.words[1],
                     .sample = line.bench.sample,
                     .hack_class = HackClass::kClean,
                     .why = line.words[3],
                     .at = runs::utc_text(std::time(nullptr))};
  const Result<HackClass> hack_class = hack_class_from_string(line.words[2]);
  if (!hack_class.has_value()) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no class of an answer", line.words[2]), "",
                   "name clean, partial_hack or total_hack");
  }
  found.hack_class = *hack_class;
  const bool is_there = std::any_of(report.results.begin(), report.results.end(), [&](const bench::TaskResult& result) {
    return result.task == found.task && result.sample == found.sample;
  });
  if (!is_there) {
    return failure(ErrorCode::kUsage,
                   fmt::format("{} has no result of {}, sample {}", report.spec.id, found.task, found.sample), "",
                   "name a task as its results do (results.jsonl)");
  }
  STITCH_TRY(bench::add_audit(bench::RunFolder(folder).audits(), found));
  STITCH_ASSIGN(const bench::BenchReport after, bench::read_run(folder));
  STITCH_TRY(bench::leave_files(after));
  STITCH_TRY(bench::write_run_page(after, invocation.services().resources.report()));
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.bench_audit/1"}, {"run", report.spec.id}, {"task", found.task}},
      fmt::format("{}, sample {}: {}, {}", found.task, found.sample, to_string(found.hack_class), found.why));
  return 0;
}

}  // namespace

Result<int> run_bench(Invocation& invocation) {
  const std::string& action = invocation.line().action;
  if (action.empty()) {
    return run_suite(invocation);
  }
  if (action == "compare") {
    return compare(invocation);
  }
  if (action == "ablate") {
    return run_ablation(invocation);
  }
  if (action == "audit") {
    return audit(invocation);
  }
  return failure(ErrorCode::kInternal, "the verb bench " + action + " has no implementation");
}

}  // namespace stitch::cli
