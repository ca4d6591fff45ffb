// SPDX-License-Identifier: Apache-2.0
#include "rl/schedule/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stitch::rl {

double learning_rate(const LearningRateSchedule& schedule, int64_t step) {
  if (step < schedule.warmup_steps) {
    return schedule.peak * static_cast<double>(step + 1) / static_cast<double>(schedule.warmup_steps);
  }
  if (schedule.decay == Decay::kConstant) {
    return schedule.peak;
  }
  const int64_t first = std::max<int64_t>(schedule.warmup_steps - 1, 0);  // the peak
  const int64_t last = schedule.total_steps - 1;
  const double progress =
      last > first ? std::min(static_cast<double>(step - first) / static_cast<double>(last - first), 1.0) : 1.0;
  const double remaining =
      schedule.decay == Decay::kLinear ? 1 - progress : (1 + std::cos(std::numbers::pi * progress)) / 2;
  return schedule.peak * (schedule.final_share + (1 - schedule.final_share) * remaining);
}

Result<Decay> decay_from_string(const std::string& name) {
  if (name == "constant") {
    return Decay::kConstant;
  }
  if (name == "linear") {
    return Decay::kLinear;
  }
  if (name == "cosine") {
    return Decay::kCosine;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no decay of a learning rate", "",
                 "use constant, linear or cosine");
}

}  // namespace stitch::rl
