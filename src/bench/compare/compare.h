// SPDX-License-Identifier: Apache-2.0
// Two runs, task by task: only tasks that both have ended enter, so that each stands beside itself.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "bench/figures/statistics.h"
#include "bench/record/task_result.h"

namespace stitch::bench {

enum class Winner { kFirst, kSecond, kNobody };

struct ComparedTask {
  std::string task{};
  double first_success = 0;  // share of its samples
  double second_success = 0;
  std::optional<double> first_whole{};  // share of samples whose Coder answered all that was asked, right
  std::optional<double> second_whole{};
  std::optional<double> ratio{};  // second over first by time, both right: beyond one the first is faster
  Winner winner = Winner::kNobody;
  std::string why{};  // "only the first is right", "1.31 times as fast (measured)"
};

struct Comparison {
  int64_t tasks = 0;       // sound ones that both ended
  int64_t only_first = 0;  // tasks that the other run lacks
  int64_t only_second = 0;
  int64_t aside = 0;                             // tasks of another standing in either
  int64_t different = 0;                         // whose files differ: in no figure
  std::optional<Interval> success_difference{};  // first less second, paired bootstrap over tasks
  std::optional<Interval> whole_difference{};    // likewise, of whole answers, over tasks that agents answered in both
  std::optional<Interval> time_ratio{};          // geometric mean of `ratio`
  std::string time_kind{};                       // "measured", "executed", "modelled"; empty: no task has times in both
  int64_t timed = 0;
  std::vector<ComparedTask> rows;

  int64_t wins(Winner winner) const;
};

// Times of one kind alone: measured where every task that both have right has it, else executed, else modelled.
Result<Comparison> compare_runs(const std::vector<TaskResult>& first, const std::vector<TaskResult>& second);

Json to_json(const Comparison& comparison);
// With the names of the two.
std::string describe(const Comparison& comparison, const std::string& first, const std::string& second);

}  // namespace stitch::bench
