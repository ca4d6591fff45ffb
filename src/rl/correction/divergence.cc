// SPDX-License-Identifier: Apache-2.0
#include "rl/correction/divergence.h"

#include <algorithm>
#include <cmath>

#include "base/error/check.h"

namespace stitch::rl {

double kl_k1(double logp, double reference_logp) {
  return std::clamp(logp - reference_logp, -kMaxLogRatio, kMaxLogRatio);
}

double kl_k2(double logp, double reference_logp) {
  const double d = kl_k1(logp, reference_logp);
  return d * d / 2;
}

double kl_k3(double logp, double reference_logp) {
  const double d = kl_k1(logp, reference_logp);
  return std::min(std::expm1(-d) + d, kMaxK3);
}

Result<KlPlacement> kl_placement_from_string(const std::string& name) {
  if (name == "off") {
    return KlPlacement::kOff;
  }
  if (name == "reward_k1") {
    return KlPlacement::kRewardK1;
  }
  if (name == "loss_k2") {
    return KlPlacement::kLossK2;
  }
  if (name == "loss_k3") {
    return KlPlacement::kLossK3;
  }
  if (name == "loss_k1") {
    return failure(ErrorCode::kUsage,
                   "k1 as a loss holds no policy near its reference: the expectation of its gradient is 0", "algo.kl",
                   "use reward_k1 or loss_k2 for KL(policy || reference), loss_k3 for a forward pull, or off");
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no place for a divergence", "algo.kl",
                 "use off, reward_k1, loss_k2 or loss_k3");
}

std::vector<double> rewards_less_kl(std::span<const double> rewards, std::span<const double> logp,
                                    std::span<const double> reference_logp, std::span<const uint8_t> mask,
                                    double coefficient) {
  STITCH_CHECK(rewards.size() == logp.size() && logp.size() == reference_logp.size() && logp.size() == mask.size())
      << "a reward, two log-probabilities and a mask for each token";
  std::vector<double> result(rewards.begin(), rewards.end());
  for (size_t t = 0; t < result.size(); ++t) {
    if (mask[t] != 0) {
      result[t] -= coefficient * kl_k1(logp[t], reference_logp[t]);
    }
  }
  return result;
}

double sequence_k1(std::span<const double> logp, std::span<const double> reference_logp,
                   std::span<const uint8_t> mask) {
  STITCH_CHECK(logp.size() == reference_logp.size() && logp.size() == mask.size())
      << "two log-probabilities and a mask for each token";
  double sum = 0;
  for (size_t t = 0; t < logp.size(); ++t) {
    sum += mask[t] != 0 ? kl_k1(logp[t], reference_logp[t]) : 0;
  }
  return sum;
}

}  // namespace stitch::rl
