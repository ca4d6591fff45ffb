// SPDX-License-Identifier: Apache-2.0
#include "rl/advantage/group.h"

#include <cmath>

#include "rl/value/moments.h"

namespace stitch::rl {

bool has_verdict(const std::optional<double>& reward) { return reward.has_value() && std::isfinite(*reward); }

std::vector<std::optional<double>> group_advantages(std::span<const std::optional<double>> rewards,
                                                    const GroupOptions& options) {
  std::vector<double> verdicts;
  for (const auto& reward : rewards) {
    if (has_verdict(reward)) {
      verdicts.push_back(*reward);
    }
  }
  const Moments moments = moments_of(verdicts);
  double factor = 1;
  if (options.baseline == GroupBaseline::kRloo && moments.count > 1) {
    factor = moments.count / (moments.count - 1);  // R - mean of the others = G / (G - 1) * (R - mean of all)
  } else if (options.baseline == GroupBaseline::kGrpo) {
    factor = 1 / (std::sqrt(moments.variance()) + options.std_eps);
  }
  std::vector<std::optional<double>> advantages(rewards.size());
  for (size_t i = 0; i < rewards.size(); ++i) {
    if (has_verdict(rewards[i])) {
      // A group of one, and one of equal rewards whatever the eps: their mean is exact, and they teach nothing.
      const double distance = *rewards[i] - moments.mean;
      advantages[i] = distance == 0 ? 0 : distance * factor;
    }
  }
  return advantages;
}

Result<GroupBaseline> group_baseline_from_string(const std::string& name) {
  if (name == "grpo") {
    return GroupBaseline::kGrpo;
  }
  if (name == "dr_grpo") {
    return GroupBaseline::kDrGrpo;
  }
  if (name == "rloo") {
    return GroupBaseline::kRloo;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no advantage of a group", "algo.advantage",
                 "use grpo, dr_grpo or rloo; trloo and gae are made of turns and of tokens");
}

}  // namespace stitch::rl
