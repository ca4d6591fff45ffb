// SPDX-License-Identifier: Apache-2.0
#include "rubric/criteria/criterion.h"

namespace stitch::rubric {

const char* to_string(Dimension dimension) {
  switch (dimension) {
    case Dimension::kAntiHacking:
      return "anti_hacking";
    case Dimension::kEngineering:
      return "cuda_engineering";
    case Dimension::kCoverage:
      return "operator_coverage";
    case Dimension::kCompliance:
      return "skill_compliance";
  }
  return "?";
}

Mark no_mark(std::string reason) { return {.reason = std::move(reason)}; }

Mark mark(double points, std::string reason, std::vector<std::string> citations) {
  return {points, std::move(reason), std::move(citations)};
}

const std::vector<Criterion>& builtin_criteria() {
  using enum Dimension;
  static const std::vector<Criterion> criteria = {
      {"framework", kAntiHacking, "Does the framework compute anything?", score_framework},
      {"honest_answers", kAntiHacking, "Do the answers come from the inputs, by work?", score_honest_answers},
      {"decoration", kAntiHacking, "Does anything stand there for show?", score_decoration},
      {"parallel_shape", kEngineering, "Do the launches fill a GPU?", score_parallel_shape},
      {"data_reuse", kEngineering, "Is data that several results need kept close?", score_data_reuse},
      {"arithmetic_unit", kEngineering, "Do products run on the unit made for them?", score_arithmetic_unit},
      {"memory_access", kEngineering, "Does memory move in wide or asynchronous accesses?", score_memory_access},
      {"fusion", kEngineering, "How many operators does a launch carry?", score_fusion},
      {"library_engineering", kEngineering, "Do library calls fuse their epilogue and keep their plan?",
       score_library_engineering},
      {"operators_carried", kCoverage, "Which share of the graph's operators does own code carry?",
       score_operators_carried},
      {"work_on_device", kCoverage, "Which share of the work ran in kernels of the candidate's own?",
       score_work_on_device},
      {"contract", kCompliance, "Is the contract kept: no waiting, no allocation in a call?", score_contract},
      {"plan_steps", kCompliance, "Did every step of the plan run?", score_plan_steps},
      {"feedback", kCompliance, "Was what the feedback asked for done?", score_feedback},
      {"refinement", kCompliance, "Is what the feedback asked for new since the previous candidate?",
       score_refinement}};
  return criteria;
}

}  // namespace stitch::rubric
