// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/data/tables.h"
#include "bench/suite/choose.h"
#include "bench/suite/find_tasks.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernelBench = "kernelbench";
constexpr const char* kProblems = "problems";

// Families and subsets are known of KernelBench alone.
Result<void> tell_known(Suite& suite) {
  if (suite.name != kKernelBench) {
    return {};
  }
  STITCH_ASSIGN(const KnownTasks known, known_tasks());
  for (SuiteTask& task : suite.tasks) {
    const auto family = known.families.find(task.key());
    task.family = family == known.families.end() ? "" : family->second;
    for (const auto& [name, keys] : known.subsets) {
      if (std::find(keys.begin(), keys.end(), task.key()) != keys.end()) {
        task.subsets.push_back(name);
      }
    }
  }
  return {};
}

Result<Suite> whole_suite(const SuiteRequest& request) {
  std::error_code ignored;
  if (request.suite == kKernelBench) {
    if (request.root.empty()) {
      return failure(ErrorCode::kUsage, "the suite kernelbench needs --root CHECKOUT", "",
                     "run git clone https://github.com/ScalingIntelligence/KernelBench, and name that folder");
    }
    const fs::path inner = request.root / "KernelBench";
    STITCH_ASSIGN(std::vector<SuiteTask> tasks,
                  tasks_by_level(fs::is_directory(inner, ignored) ? inner : request.root));
    return Suite{kKernelBench, std::move(tasks)};
  }
  const bool is_folder = fs::is_directory(request.suite, ignored);
  if (request.suite == kProblems && !is_folder) {
    STITCH_ASSIGN(std::vector<SuiteTask> tasks, tasks_in(request.problems));
    return Suite{kProblems, std::move(tasks)};
  }
  if (fs::path(request.suite).extension() == ".jsonl") {
    STITCH_ASSIGN(std::vector<SuiteTask> tasks, tasks_of_list(request.suite, request.written));
    return Suite{fs::path(request.suite).stem().string(), std::move(tasks)};
  }
  if (!is_folder) {
    return failure(ErrorCode::kUsage, fmt::format("there is no suite '{}'", request.suite), "",
                   "name kernelbench, problems, a folder of programs, or a task list (FILE.jsonl)");
  }
  const fs::path folder = fs::absolute(request.suite, ignored).lexically_normal();
  STITCH_ASSIGN(std::vector<SuiteTask> tasks, has_levels(folder) ? tasks_by_level(folder) : tasks_in(folder));
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return Suite{name.string(), std::move(tasks)};
}

}  // namespace

std::string SuiteTask::key() const { return number > 0 ? fmt::format("{}/{}", level, number) : ""; }

Result<Suite> find_suite(const SuiteRequest& request) {
  STITCH_ASSIGN(Suite suite, whole_suite(request));
  STITCH_TRY(tell_known(suite));
  STITCH_ASSIGN(suite.tasks, choose(std::move(suite.tasks), request.levels, request.only, request.subset));
  if (suite.tasks.empty()) {
    return failure(ErrorCode::kUsage, fmt::format("no task of {} is meant", suite.name), "",
                   "loosen --levels, --only or --subset, or look whether the folder holds programs (*.py)");
  }
  return suite;
}

}  // namespace stitch::bench
