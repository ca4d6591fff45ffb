// SPDX-License-Identifier: Apache-2.0
// Runs what is left of a run, some tasks side by side, and keeps each result as soon as it is there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/record/results_file.h"
#include "bench/run/run_spec.h"

namespace stitch::bench {

// Of all tasks together; what earlier commands of the same run have spent counts, their seconds do not.
struct Budget {
  std::optional<double> seconds{};  // no task begins after it
  std::optional<double> dollars{};  // no task begins once so much is spent
  std::optional<int64_t> tokens{};
};

struct Pending {
  size_t task = 0;  // of the spec's
  int sample = 0;
};

// Samples without a result; those at which the machine failed have none.
std::vector<Pending> pending_of(const RunSpec& spec, const std::vector<TaskResult>& known);

// The last result of each sample, in the order of the spec.
std::vector<TaskResult> latest_of(const RunSpec& spec, const std::vector<TaskResult>& all);

struct TaskEvents {
  std::function<Result<TaskResult>(const SuiteTask& task, int sample)> attempt;  // from any of the threads
  std::function<void(const TaskResult& result, size_t done, size_t of)> ended;   // one at a time
};

struct RunEnd {
  std::vector<TaskResult> results;  // all that are there, the latest of each
  size_t left = 0;                  // samples that were not begun
  std::string why_left{};           // empty: none are left
};

// An Error where a result cannot be kept, or the machine fails at several tasks one after the other.
Result<RunEnd> run_tasks(const RunSpec& spec, ResultsFile& file, int jobs, const Budget& budget,
                         const TaskEvents& events);

}  // namespace stitch::bench
