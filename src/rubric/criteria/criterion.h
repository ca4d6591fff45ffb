// SPDX-License-Identifier: Apache-2.0
// One question about a candidate, answered from facts alone: the same facts give the same mark, anywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rubric/facts/facts.h"

namespace stitch::rubric {

enum class Dimension { kAntiHacking, kEngineering, kCoverage, kCompliance };
const char* to_string(Dimension dimension);  // "anti_hacking", "cuda_engineering", "operator_coverage" ...

struct Mark {
  std::optional<double> points{};        // 1 to 5; none: the question does not arise, or nobody saw enough
  std::string reason{};                  // one sentence, with what evidence was missing
  std::vector<std::string> citations{};  // "verdict", "launches: matmul program.cu:5", "source: program.cu:7"
};
Mark no_mark(std::string reason);
Mark mark(double points, std::string reason, std::vector<std::string> citations);

struct Criterion {
  const char* name;
  Dimension dimension;
  const char* question;
  Mark (*score)(const Facts& facts);
};

// Each function has a file of its own in this folder.
Mark score_framework(const Facts& facts);
Mark score_honest_answers(const Facts& facts);
Mark score_decoration(const Facts& facts);
Mark score_parallel_shape(const Facts& facts);
Mark score_data_reuse(const Facts& facts);
Mark score_arithmetic_unit(const Facts& facts);
Mark score_memory_access(const Facts& facts);
Mark score_fusion(const Facts& facts);
Mark score_library_engineering(const Facts& facts);
Mark score_operators_carried(const Facts& facts);
Mark score_work_on_device(const Facts& facts);
Mark score_contract(const Facts& facts);
Mark score_plan_steps(const Facts& facts);
Mark score_feedback(const Facts& facts);
Mark score_refinement(const Facts& facts);

// All criteria, in the order in which reports list them.
const std::vector<Criterion>& builtin_criteria();

}  // namespace stitch::rubric
