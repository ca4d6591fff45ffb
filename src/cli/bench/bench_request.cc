// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include "artifact/task/math_mode.h"
#include "base/seed/seed.h"
#include "cli/options/byte_size.h"
#include "farm/artefacts/artefacts.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

// Which verbs an option is handed on to.
enum Takes : unsigned { kOptimize = 1, kVerify = 2, kAdmit = 4, kAll = 7 };
struct HandedOn {
  std::string_view name;
  unsigned takes;
  bool is_flag = false;
};
constexpr auto kHandedOn = std::to_array<HandedOn>({
    {"train", kAll, true},
    {"eval", kAll, true},
    {"import-timeout", kAll},
    {"scale", kAll},
    {"math", kAll},
    {"device", kAll},
    {"unsafe-no-sandbox", kAll, true},
    {"cache-size", kAll},
    {"target", kOptimize | kVerify},
    {"libraries", kOptimize},
    {"tune-seconds", kOptimize},
    {"tuning-database", kOptimize},
    {"coder", kOptimize},
    {"planner", kOptimize},
    {"verifier", kOptimize},
    {"llm", kOptimize},
    {"model", kOptimize},
    {"checkpoint", kOptimize},
    {"team", kOptimize},
    {"config", kOptimize},
    {"prompts", kOptimize},
    {"agent", kOptimize},
    {"answer", kOptimize},
    {"system", kOptimize},
    {"without", kOptimize},
    {"max-tokens", kOptimize},
    {"max-cost", kOptimize},
    {"max-seconds", kOptimize},
    {"max-rounds", kOptimize},
    {"step-rounds", kOptimize},
    {"repairs", kOptimize},
    {"replans", kOptimize},
    {"turns", kOptimize},
    {"target-us", kOptimize},
});

std::vector<std::string> arguments_for(const CommandLine& line, unsigned verb) {
  std::vector<std::string> arguments;
  for (const HandedOn& option : kHandedOn) {
    const auto given = line.given.find(std::string(option.name));
    if (given == line.given.end() || (option.takes & verb) == 0) {
      continue;
    }
    arguments.push_back(fmt::format("--{}", option.name));
    if (!option.is_flag) {
      arguments.push_back(given->second);
    }
  }
  return arguments;
}

std::map<std::string, std::string> conditions_of(const CommandLine& line) {
  const auto given = [&](const char* name, const std::string& otherwise) {
    const auto found = line.given.find(name);
    return found == line.given.end() ? otherwise : found->second;
  };
  const bool are_judged = !line.bench.candidates.empty();
  std::map<std::string, std::string> conditions = {{"device", given("device", "auto")},
                                                   {"math", to_string(line.math)},
                                                   {"scale", given("scale", "auto")},
                                                   {"system", are_judged                ? "candidates"
                                                              : line.agents.are_asked() ? given("system", "stitch")
                                                                                        : "expert"}};
  for (const char* name : {"model", "checkpoint", "team", "coder", "without"}) {
    const std::string value = given(name, "");
    if (!value.empty()) {
      conditions[name] = value;
    }
  }
  return conditions;
}

// No time is measured on the emulated device, so no baseline runs there unless it was asked for.
std::vector<std::string> baselines_of(const CommandLine& line) {
  std::vector<std::string> baselines = line.bench.baselines;
  if (line.device == DeviceChoice::kEmulated || baselines == std::vector<std::string>{"off"}) {
    return {};
  }
  return baselines;
}

Result<bench::RunSpec> spec_of(const CommandLine& line) {
  const BenchOptions& options = line.bench;
  bench::RunSpec spec;
  spec.command = line.command;
  spec.samples = options.samples.value_or(1);
  spec.seed = line.seed.has_value() ? *line.seed : drawn_seed() & kLargestSeed;
  std::error_code ignored;
  spec.candidates =
      options.candidates.empty() ? "" : fs::absolute(options.candidates, ignored).lexically_normal().string();
  spec.arguments = arguments_for(line, spec.candidates.empty() ? kOptimize : kVerify);
  spec.task_arguments = arguments_for(line, kAdmit);
  spec.conditions = conditions_of(line);
  spec.baselines = baselines_of(line);
  spec.asks_admission = !options.no_admit;
  spec.task_seconds = options.task_seconds;
  STITCH_ASSIGN(spec.task_bytes, parse_bytes(options.task_memory));
  return spec;
}

Result<void> check(const CommandLine& line) {
  const BenchOptions& options = line.bench;
  if (options.suite.empty() == options.resume.empty()) {
    return failure(ErrorCode::kUsage,
                   options.suite.empty() ? "bench needs a suite: kernelbench, problems, a folder or a task list"
                                         : "a run that goes on has its suite: --resume takes none",
                   "", "see 'stitchcuda bench --help'");
  }
  if (!options.store.empty() && options.resume.empty() && line.device == DeviceChoice::kAuto) {
    return failure(ErrorCode::kUsage, "what device this machine has says nothing of the workers'", "",
                   "say --device gpu or --device emulated beside --store");
  }
  if (!options.store.empty() && (line.agents.are_asked() && !line.given.contains("model"))) {
    return failure(ErrorCode::kUsage, "workers ask no model: its key stays where you are", "",
                   "leave out --store, or have models answer by rule: --model expert");
  }
  const bool has_off = std::find(options.baselines.begin(), options.baselines.end(), "off") != options.baselines.end();
  if (has_off && options.baselines.size() > 1) {
    return failure(ErrorCode::kUsage, "--baseline off excludes other baselines", "", "name either");
  }
  return {};
}

}  // namespace

int jobs_of(const BenchOptions& options) {
  constexpr int kAtWorkers = 64;  // most of them wait; how many run is the workers' number
  const int here = static_cast<int>(std::max(1U, std::thread::hardware_concurrency() / 2));
  return options.jobs > 0 ? options.jobs : options.store.empty() ? here : kAtWorkers;
}

Result<bench::BenchRequest> bench_request_of(const CommandLine& line, const fs::path& problems) {
  STITCH_TRY(check(line));
  const BenchOptions& options = line.bench;
  bench::BenchRequest request;
  request.suite = {.suite = options.suite,
                   .root = options.root,
                   .problems = problems,
                   .written = {},
                   .levels = options.levels,
                   .only = options.only,
                   .subset = options.subset};
  STITCH_ASSIGN(request.spec, spec_of(line));
  request.counts_samples = !options.samples.has_value();
  request.out = line.out;
  request.resume = options.resume;
  request.jobs = jobs_of(options);
  request.store = options.store;
  if (!options.store.empty()) {
    STITCH_ASSIGN(request.artefacts, farm::artefacts_of(options.store, options.artefacts));
  }
  request.budget = {options.suite_seconds, options.suite_dollars, options.suite_tokens};
  return request;
}

}  // namespace stitch::cli
