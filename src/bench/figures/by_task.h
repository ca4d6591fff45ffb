// SPDX-License-Identifier: Apache-2.0
// Results of one task together, tasks in groups, and what one result says.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/record/task_result.h"

namespace stitch::bench {

// Task -> its samples. Pointers into the results that it was made of.
using TasksOfGroup = std::map<std::string, std::vector<const TaskResult*>>;

TasksOfGroup by_task(const std::vector<TaskResult>& results, const std::function<bool(const TaskResult&)>& is_meant);

// "all", then levels, subsets and families where there are any; each of sound tasks that the machine did not fail at.
std::vector<std::pair<std::string, TasksOfGroup>> groups_of(const std::vector<TaskResult>& results);

// "ok", the kind of a verdict, or the outcome's name.
std::string outcome_word(const TaskResult& result);

// Of an answer that is right and its own work; null without a time.
const RatioResult* ratio_over(const TaskResult& result, const std::string& baseline);

// By the lower end of the interval. With p = 0: an answer that is right and has a time.
bool is_faster(const TaskResult& result, const std::string& baseline, double p);

}  // namespace stitch::bench
