// SPDX-License-Identifier: Apache-2.0
// What the rewards of a run hold its programs against: PyTorch's times, taken once. Measured on a GPU; without one
// modelled, from the times that are counted there.
#pragma once

#include <optional>
#include <string>

#include "base/json/json_forward.h"
#include "driver/build/compile_program.h"
#include "driver/judge/subjects.h"
#include "evaluate/pipeline/evaluate.h"
#include "plan/plan.h"
#include "rubric/rewards/facts.h"

namespace stitch::driver {

struct ReferenceTimes {
  bool is_measured = false;
  double eager_us = 0;
  double compiled_us = 0;  // torch.compile
  double floor_us = 0;
};
Json to_json(const ReferenceTimes& times);
// kFileInvalid for another form.
Result<ReferenceTimes> reference_times_from_json(const Json& json);

// Eager PyTorch as a launch an operator of the graph, each with its bytes and FLOPs; torch.compile as the expert's cut.
// Both are in proportion to `expert_us`, the expert's program as it was counted. Nothing without a device's rates.
std::optional<ReferenceTimes> modelled_reference(const plan::Plan& expert, double expert_us, double floor_us);

// Both timed in turns with the expert's program, which `report` is about. Nothing where the reference cannot be run, or
// no time may be told.
Result<std::optional<ReferenceTimes>> measured_reference(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                                         const plan::Plan& expert,
                                                         const evaluate::EvaluateReport& report, double floor_us);

// Of a candidate that takes `candidate_us`, the larger end of its interval.
rubric::RewardTimes reward_times(const ReferenceTimes& reference, double candidate_us);

}  // namespace stitch::driver
