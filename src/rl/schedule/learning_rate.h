// SPDX-License-Identifier: Apache-2.0
// The learning rate of each step.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"

namespace stitch::rl {

enum class Decay { kConstant, kLinear, kCosine };

struct LearningRateSchedule {
  double peak = 0;
  Decay decay = Decay::kConstant;
  int64_t warmup_steps = 0;
  int64_t total_steps = 0;  // not read where the decay is constant
  double final_share = 0;   // of the peak, at and after total_steps
};

// Of the step-th update, counted from 0. Warm-up is linear and its first step has peak / warmup_steps, so that no step
// is wasted at 0; the peak is reached by the last step of warm-up. From there to total_steps - 1, the last update,
// linear: a straight line down to the final share; cosine: half a period (Loshchilov and Hutter 2017).
double learning_rate(const LearningRateSchedule& schedule, int64_t step);

// "constant", "linear", "cosine".
Result<Decay> decay_from_string(const std::string& name);

}  // namespace stitch::rl
