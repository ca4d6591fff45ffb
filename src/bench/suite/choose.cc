// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace stitch::bench {
namespace {

// "level1/3", "1/3", "3_Batched_matrix_multiplication", "level1/3_Batched_matrix_multiplication", with * anywhere.
bool is_meant(const SuiteTask& task, const std::string& pattern) {
  const std::string whole = task.level > 0 ? fmt::format("level{}/{}", task.level, task.name) : task.name;
  return fits_pattern(task.id, pattern) || fits_pattern(task.name, pattern) || fits_pattern(whole, pattern) ||
         (!task.key().empty() && fits_pattern(task.key(), pattern));
}

bool any_of(const std::vector<SuiteTask>& tasks, const std::function<bool(const SuiteTask&)>& is_one) {
  return std::any_of(tasks.begin(), tasks.end(), is_one);
}

}  // namespace

bool fits_pattern(std::string_view text, std::string_view pattern) {
  size_t at = 0;
  size_t in_pattern = 0;
  size_t star = std::string_view::npos;
  size_t after_star = 0;
  while (at < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      after_star = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == text[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {  // the last star stands for one character more
      in_pattern = star + 1;
      at = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

Result<std::vector<SuiteTask>> choose(std::vector<SuiteTask> tasks, const std::vector<int>& levels,
                                      const std::vector<std::string>& only, const std::string& subset) {
  for (const int level : levels) {
    if (!any_of(tasks, [&](const SuiteTask& task) { return task.level == level; })) {
      return failure(ErrorCode::kUsage, fmt::format("the suite has no level {}", level), "", "see --levels");
    }
  }
  for (const std::string& pattern : only) {
    if (!any_of(tasks, [&](const SuiteTask& task) { return is_meant(task, pattern); })) {
      return failure(ErrorCode::kUsage, fmt::format("no task is meant by '{}'", pattern), "",
                     "name it as level1/3, by the file's name, or with * for a part of it");
    }
  }
  const auto is_in = [&](const SuiteTask& task) {
    return std::find(task.subsets.begin(), task.subsets.end(), subset) != task.subsets.end();
  };
  if (!subset.empty() && !any_of(tasks, is_in)) {
    return failure(ErrorCode::kUsage, fmt::format("the suite has no subset '{}'", subset), "",
                   "kernelbench has the subset stitchcuda");
  }
  std::erase_if(tasks, [&](const SuiteTask& task) {
    const bool has_level = levels.empty() || std::find(levels.begin(), levels.end(), task.level) != levels.end();
    const bool is_named = only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& pattern) {
                            return is_meant(task, pattern);
                          });
    return !has_level || !is_named || (!subset.empty() && !is_in(task));
  });
  return tasks;
}

}  // namespace stitch::bench
