// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/by_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace stitch::bench {

TasksOfGroup by_task(const std::vector<TaskResult>& results, const std::function<bool(const TaskResult&)>& is_meant) {
  TasksOfGroup tasks;
  for (const TaskResult& result : results) {
    if (is_meant(result)) {
      tasks[result.task].push_back(&result);
    }
  }
  return tasks;
}

std::vector<std::pair<std::string, TasksOfGroup>> groups_of(const std::vector<TaskResult>& results) {
  const auto counts = [](const TaskResult& result) {
    return result.standing == Standing::kSound && !is_open(result.outcome);
  };
  std::vector<std::pair<std::string, TasksOfGroup>> groups;
  const auto add = [&](const std::string& name, const std::function<bool(const TaskResult&)>& is_in) {
    TasksOfGroup tasks = by_task(results, [&](const TaskResult& result) { return counts(result) && is_in(result); });
    if (!tasks.empty()) {
      groups.emplace_back(name, std::move(tasks));
    }
  };
  std::set<int> levels;
  std::set<std::string> subsets;
  std::set<std::string> families;
  for (const TaskResult& result : results) {
    levels.insert(result.level);
    subsets.insert(result.subsets.begin(), result.subsets.end());
    families.insert(result.family);
  }
  add("all", [](const TaskResult&) { return true; });
  for (const int level : levels) {
    if (level > 0) {
      add(fmt::format("level {}", level), [level](const TaskResult& result) { return result.level == level; });
    }
  }
  for (const std::string& subset : subsets) {
    add("subset " + subset, [&subset](const TaskResult& result) {
      return std::find(result.subsets.begin(), result.subsets.end(), subset) != result.subsets.end();
    });
  }
  for (const std::string& family : families) {
    if (!family.empty()) {
      add("family " + family, [&family](const TaskResult& result) { return result.family == family; });
    }
  }
  return groups;
}

std::string outcome_word(const TaskResult& result) {
  return result.outcome == Outcome::kVerdict ? result.kind : to_string(result.outcome);
}

const RatioResult* ratio_over(const TaskResult& result, const std::string& baseline) {
  const auto found = result.over.find(baseline);
  return result.is_success() && found != result.over.end() && found->second.ratio.has_value() ? &found->second
                                                                                              : nullptr;
}

bool is_faster(const TaskResult& result, const std::string& baseline, double p) {
  const RatioResult* ratio = ratio_over(result, baseline);
  return ratio != nullptr && ratio->low > p;
}

}  // namespace stitch::bench
