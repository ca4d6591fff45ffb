// SPDX-License-Identifier: Apache-2.0
// KernelBench's eval_results.json, for its own scripts: what its rule says of the draws that we judged, and our times.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/record/task_result.h"

namespace stitch::bench {

// File name (relative to the run's folder) -> text. One level: eval_results.json; several: levelN/eval_results.json.
// Tasks without a number have no place in it. Our own verdict stands in `metadata`.
std::map<std::string, std::string> eval_results_of(const std::vector<TaskResult>& results);

}  // namespace stitch::bench
