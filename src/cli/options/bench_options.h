// SPDX-License-Identifier: Apache-2.0
// Options of runs over whole suites.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stitch::cli {

struct BenchOptions {
  std::string suite;
  std::string root;
  std::vector<int> levels{};
  std::vector<std::string> only{};
  std::string subset;
  std::vector<std::string> baselines{};  // empty: eager on a GPU, none elsewhere
  std::optional<int> samples{};          // empty: one, or as many as there are answers
  int jobs = 0;                          // 0: half of the processors
  std::string resume;
  std::optional<double> need{};  // a share; with less of sound tasks right the exit status is 1
  double task_seconds = 900;
  std::string task_memory = "8G";
  std::optional<double> suite_seconds{};
  std::optional<double> suite_dollars{};
  std::optional<int64_t> suite_tokens{};
  std::string candidates;
  bool no_admit = false;
  int sample = 0;         // audit
  std::string store;      // workers take the tasks from there; empty: they run here
  std::string artefacts;  // the folder that those share; empty: beside the store's file
};

}  // namespace stitch::cli
