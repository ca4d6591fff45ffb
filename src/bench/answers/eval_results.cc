// SPDX-License-Identifier: Apache-2.0
#include "bench/answers/eval_results.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "bench/figures/by_task.h"

namespace stitch::bench {
namespace {

constexpr const char* kRule = "kernelbench 1e-4";
constexpr double kNoTime = -1.0;

Json entry_of(const TaskResult& result) {
  const auto rule = result.others.find(kRule);
  const bool is_compiled = outcome_word(result) != "build_failed" && result.outcome != Outcome::kMissing;
  // Where its rule was not asked, the answer did not come to an end.
  const bool is_correct = is_compiled && rule != result.others.end() && rule->second;
  return {{"sample_id", result.sample},
          {"compiled", is_compiled},
          {"correctness", is_correct},
          {"metadata",
           {{"stitchcuda_verdict", outcome_word(result)},
            {"stitchcuda_class", to_string(result.hack_class)},
            {"stitchcuda_sentence", result.sentence},
            {"hardware", result.device}}},
          {"runtime", result.measured_us.has_value() ? *result.measured_us / 1000 : kNoTime},
          {"runtime_stats", Json::object()}};
}

}  // namespace

std::map<std::string, std::string> eval_results_of(const std::vector<TaskResult>& results) {
  std::map<int, std::map<int, Json>> levels;  // level -> number -> entries
  for (const TaskResult& result : results) {
    if (result.number > 0) {
      Json& entries = levels[result.level][result.number];
      entries = entries.is_null() ? Json::array() : entries;
      entries.push_back(entry_of(result));
    }
  }
  std::map<std::string, std::string> files;
  for (const auto& [level, tasks] : levels) {
    Json json = Json::object();
    for (const auto& [number, entries] : tasks) {
      json[std::to_string(number)] = entries;
    }
    const std::string name = levels.size() == 1 ? "eval_results.json" : fmt::format("level{}/eval_results.json", level);
    files[name] = json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return files;
}

}  // namespace stitch::bench
