// SPDX-License-Identifier: Apache-2.0
// Answers that somebody already has, in a folder: which belongs to which task and sample.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "bench/suite/suite.h"

namespace stitch::bench {

// The answer's place, a file or a folder; empty where there is none. Looked for in this order:
// level_1_problem_3_sample_0_kernel.py (KernelBench's run folders), NAME_sample_0, and of sample 0 NAME, level1/NAME,
// level1_3 and level1/3; each of those but the first with .py, with .so, or a folder.
std::filesystem::path find_answer(const std::filesystem::path& folder, const SuiteTask& task, int sample);

// How many samples the tasks have at most: one more than the greatest number of a sample there is an answer for. kUsage
// where there is no answer to any of them.
Result<int> count_samples(const std::filesystem::path& folder, const std::vector<SuiteTask>& tasks);

}  // namespace stitch::bench
