// SPDX-License-Identifier: Apache-2.0
#include "bench/answers/find_answers.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxSamples = 1000;

std::vector<std::string> names_of(const SuiteTask& task, int sample) {
  std::vector<std::string> names = {fmt::format("{}_sample_{}", task.name, sample)};
  if (sample == 0) {
    names.push_back(task.name);
    if (task.level > 0) {
      names.push_back(fmt::format("level{}/{}", task.level, task.name));
      names.push_back(fmt::format("level{}_{}", task.level, task.number));
      names.push_back(fmt::format("level{}/{}", task.level, task.number));
    }
  }
  return names;
}

}  // namespace

fs::path find_answer(const fs::path& folder, const SuiteTask& task, int sample) {
  std::error_code ignored;
  if (task.number > 0) {
    const int level = std::max(task.level, 1);
    fs::path kernel = folder / fmt::format("level_{}_problem_{}_sample_{}_kernel.py", level, task.number, sample);
    if (fs::is_regular_file(kernel, ignored)) {
      return kernel;
    }
  }
  for (const std::string& name : names_of(task, sample)) {
    for (const char* ending : {".py", ".so", ""}) {
      fs::path found = folder / (name + ending);
      if (fs::exists(found, ignored)) {
        return found;
      }
    }
  }
  return {};
}

Result<int> count_samples(const fs::path& folder, const std::vector<SuiteTask>& tasks) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return failure(ErrorCode::kUsage, "there is no such folder of answers", folder.string(),
                   "name a folder with --candidates");
  }
  int count = 0;
  for (const SuiteTask& task : tasks) {
    for (int sample = kMaxSamples - 1; sample >= count; --sample) {
      if (!find_answer(folder, task, sample).empty()) {
        count = sample + 1;
      }
    }
  }
  if (count == 0) {
    return failure(ErrorCode::kUsage, "there is no answer to any of the tasks", folder.string(),
                   "name files as level_1_problem_3_sample_0_kernel.py, or after the task's file");
  }
  return count;
}

}  // namespace stitch::bench
