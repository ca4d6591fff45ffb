// SPDX-License-Identifier: Apache-2.0
// What a person found when looking at an answer: RUN/audits.jsonl. It goes before what was found by rule, and is shown.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/record/task_result.h"

namespace stitch::bench {

struct Audit {
  std::string task;
  int sample = 0;
  HackClass hack_class = HackClass::kClean;
  std::string why;
  std::string at;  // when, as "2026-11-26T21:04:55Z"
};

// Empty where nobody has looked.
Result<std::vector<Audit>> read_audits(const std::filesystem::path& file);
Result<void> add_audit(const std::filesystem::path& file, const Audit& audit);

// The class that a person found in place of ours; of several findings on one answer the last.
void apply_audits(const std::vector<Audit>& audits, std::vector<TaskResult>& results);

}  // namespace stitch::bench
