// SPDX-License-Identifier: Apache-2.0
// The tasks of a suite: which there are, and which of them are meant.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::bench {

struct SuiteTask {
  std::string id{};    // "level1/3", "mlp_residual": what results are kept under
  std::string name{};  // the file's, without its ending
  std::filesystem::path file{};
  int level = 0;   // 0: the suite has none
  int number = 0;  // in its level; 0: it has none
  std::string family{};
  std::vector<std::string> subsets{};

  // "1/3", as tables of KernelBench name it; empty without a number.
  std::string key() const;
};

struct Suite {
  std::string name;  // "kernelbench", "problems", or the folder's
  std::vector<SuiteTask> tasks;
};

struct SuiteRequest {
  std::string suite;                 // "kernelbench", "problems", a folder, or a task list (FILE.jsonl)
  std::filesystem::path root{};      // of kernelbench: its checkout, or a folder that has level1/ and so on
  std::filesystem::path problems{};  // where "problems" lie
  std::filesystem::path written{};   // where texts of a task list are written as files
  std::vector<int> levels{};         // empty: all
  std::vector<std::string> only{};   // ids, keys, names or patterns with *; empty: all
  std::string subset{};              // empty: all
};

// In the order of level, number and name. kUsage with a sentence where nothing is meant, or a pattern means none.
Result<Suite> find_suite(const SuiteRequest& request);

}  // namespace stitch::bench
