// SPDX-License-Identifier: Apache-2.0
// What differs between two runs.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "runs/record/program_record.h"
#include "runs/record/run_record.h"

namespace stitch::cli {

struct RunDifference {
  std::string what;    // "option math", "step expand_gelu", "source program.cu"
  std::string before;  // empty: only the second run has it
  std::string after;
};

// A program is empty where its run did not come so far as to make one. What is different by itself (ids, times of day)
// is left out.
std::vector<RunDifference> differences(const runs::RunRecord& first, const runs::ProgramRecord& first_program,
                                       const runs::RunRecord& second, const runs::ProgramRecord& second_program);

std::string diff_text(const runs::RunRecord& first, const runs::RunRecord& second,
                      const std::vector<RunDifference>& differences);
Json to_json(const std::vector<RunDifference>& differences);

}  // namespace stitch::cli
