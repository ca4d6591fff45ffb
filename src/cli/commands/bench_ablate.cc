// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/bench_ablate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/fs/state_folder.h"
#include "base/json/json.h"
#include "bench/ablate/ablation.h"
#include "bench/compare/compare.h"
#include "bench/figures/figures_text.h"
#include "bench/run/bench.h"
#include "cli/bench/bench_request.h"
#include "cli/bench/bench_view.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

// The command that the arm with this seed stands for.
std::vector<std::string> command_of(const bench::Ablation& ablation, const bench::Arm& arm, uint64_t seed,
                                    const fs::path& folder) {
  std::vector<std::string> words = {"stitchcuda", "bench"};
  std::error_code ignored;
  if (fs::exists(folder / "bench.json", ignored)) {
    words.insert(words.end(), {"--resume", folder.string()});
    return words;
  }
  words.push_back(ablation.suite);
  words.insert(words.end(), ablation.suite_arguments.begin(), ablation.suite_arguments.end());
  words.insert(words.end(), arm.arguments.begin(), arm.arguments.end());
  words.insert(words.end(), {"--seed", std::to_string(seed), "--out", folder.string()});
  return words;
}

Result<bench::BenchReport> run_arm(Invocation& invocation, const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(word.c_str());
  }
  Result<CommandLine> parsed = parse_command_line(static_cast<int>(arguments.size()), arguments.data());
  if (!parsed.has_value()) {
    return failure(with_context(parsed.error(), fmt::format("an arm of {}", invocation.line().file)));
  }
  CommandLine line = std::move(parsed).value();
  line.bench.jobs = invocation.line().bench.jobs > 0 ? invocation.line().bench.jobs : line.bench.jobs;
  STITCH_ASSIGN(bench::BenchRequest request, bench_request_of(line, invocation.services().resources.root / "problems"));
  const std::unique_ptr<ForkServer> forks = request.store.empty() ? invocation.start_forks() : nullptr;
  request.forks = forks.get();
  return bench::run_bench(request, bench_events(invocation.reporter()));
}

// Runs of several seeds as one, so that tasks are paired within a seed.
std::vector<bench::TaskResult> joined(const std::vector<bench::BenchReport>& runs) {
  std::vector<bench::TaskResult> all;
  int offset = 0;
  for (const bench::BenchReport& run : runs) {
    for (bench::TaskResult result : run.results) {
      result.sample += offset;
      all.push_back(std::move(result));
    }
    offset += run.spec.samples;
  }
  return all;
}

struct ArmResults {
  std::string name;
  std::vector<bench::TaskResult> results;
};

using Row = std::vector<std::string>;

constexpr const char* kNone = "-";

std::string points(const std::optional<bench::Interval>& difference) {
  return difference.has_value() ? bench::describe_points(*difference) : kNone;
}

// A row of an arm, `against` being what it is compared with: nullptr for the first.
Row row_of(const std::string& name, const bench::GroupFigures& all, const bench::Comparison* against) {
  const bool has_time = against != nullptr && against->time_ratio.has_value();
  const auto& coder = all.coder;
  return {name,
          std::to_string(all.tasks),
          bench::describe_percent(all.success),
          against == nullptr ? kNone : points(against->success_difference),
          coder.has_value() ? fmt::format("{} of {}", coder->sub_tasks_right, coder->sub_tasks) : kNone,
          coder.has_value() ? bench::describe_percent(coder->whole) : kNone,
          against == nullptr ? kNone : points(against->whole_difference),
          has_time ? fmt::format("{} {}", bench::describe(*against->time_ratio, 3), against->time_kind) : kNone,
          std::to_string(all.spent.requests),
          std::to_string(all.spent.prompt_tokens + all.spent.answer_tokens)};
}

// One row for each arm, the first being what all others are held against.
Result<int> tell(Invocation& invocation, const std::vector<ArmResults>& arms, const fs::path& folder) {
  const std::string against = "against " + arms.front().name;
  std::vector<Row> rows = {{"arm", "tasks", "success rate", against, "sub-tasks right", "whole answers", against,
                            "times as fast, both right", "requests", "tokens"}};
  Json json = {{"schema", "stitchcuda.bench_ablation/1"}, {"folder", folder.string()}, {"arms", Json::array()}};
  for (const ArmResults& arm : arms) {
    STITCH_ASSIGN(const bench::Figures figures, bench::figures_of(arm.results));
    STITCH_ASSIGN(const bench::Comparison comparison, bench::compare_runs(arm.results, arms.front().results));
    const bench::GroupFigures all = figures.groups.empty() ? bench::GroupFigures{} : figures.groups.front();
    rows.push_back(row_of(arm.name, all, &arm == &arms.front() ? nullptr : &comparison));
    json["arms"].push_back({{"name", arm.name}, {"figures", to_json(figures)}, {"against_first", to_json(comparison)}});
  }
  STITCH_TRY(write_file(folder / "ablation.json", json.dump(1) + "\n"));
  invocation.reporter().result(json, bench::in_columns(rows) + "\n" + folder.string());
  return 0;
}

}  // namespace

Result<int> run_ablation(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const std::string text, read_file(line.file));
  STITCH_ASSIGN(const bench::Ablation ablation, bench::read_ablation(text, line.file));
  fs::path folder = line.out;
  if (folder.empty()) {
    STITCH_ASSIGN(const fs::path state, state_folder());
    folder = state / "ablations" / fs::path(line.file).stem();
  }
  std::vector<ArmResults> arms;
  size_t left = 0;
  for (const bench::Arm& arm : ablation.arms) {
    std::vector<bench::BenchReport> runs;
    for (const uint64_t seed : ablation.seeds) {
      const fs::path of_run = folder / run_name(arm, seed);
      invocation.reporter().fact("arm", run_name(arm, seed));
      STITCH_ASSIGN(bench::BenchReport run, run_arm(invocation, command_of(ablation, arm, seed, of_run)));
      left += run.left;
      runs.push_back(std::move(run));
    }
    arms.push_back({arm.name, joined(runs)});
  }
  STITCH_ASSIGN(const int status, tell(invocation, arms, folder));
  return left == 0 ? status : 1;
}

}  // namespace stitch::cli
