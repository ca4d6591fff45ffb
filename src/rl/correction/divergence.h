// SPDX-License-Identifier: Apache-2.0
// Estimates of KL(policy || reference) from sampled tokens, and the one that belongs into the reward.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::rl {

// A ratio of probabilities is never taken of a log-ratio beyond this, either way: verl's bound. exp(20) is 5e8.
inline constexpr double kMaxLogRatio = 20;
// k3 is cut there, as verl does: one token of probability 1e-9 would outweigh a batch.
inline constexpr double kMaxK3 = 10;

// With d = log p(token) - log p_reference(token), token drawn from p (Schulman 2020, "Approximating KL divergence").
double kl_k1(double logp, double reference_logp);  // d: unbiased, of either sign, high variance
double kl_k2(double logp, double reference_logp);  // d^2 / 2: biased upwards away from d = 0, low variance
double kl_k3(double logp, double reference_logp);  // exp(-d) - 1 + d: unbiased, never below 0; both clamps bias it

// Where a divergence from the reference enters. All hold for a policy at its fixed point on one prompt; ref is the
// reference's probabilities, R the rewards, beta the coefficient.
enum class KlPlacement {
  kOff,
  // R - beta * k1, taken as a number: the gradient of J - beta * KL(policy || ref), without bias. Fixed point: Gibbs,
  // ref * exp(R / beta) / Z.
  kRewardK1,
  // beta * k2 added to the loss: on policy its expected gradient is that of KL(policy || ref), so Gibbs again. Off
  // policy, in the second epoch over a batch, it is not, as no ratio corrects it.
  kLossK2,
  // beta * k3 added to the loss (verl's low_var_kl, TRL's beta): on policy its expected gradient is that of the forward
  // KL(ref || policy). Fixed point: beta * ref / (beta + J - R), which is not Gibbs: it pulls less where the policy has
  // left the reference far behind, and keeps more mass on what the reference did.
  kLossK3,
};

// "off", "reward_k1", "loss_k2", "loss_k3". "loss_k1" is refused: the expected gradient of k1 as a loss is 0, so that
// it adds noise and holds nothing back.
Result<KlPlacement> kl_placement_from_string(const std::string& name);

// For GAE: each model token's reward less coefficient * k1; others are left as they are. `logp` is of the policy that
// sampled.
std::vector<double> rewards_less_kl(std::span<const double> rewards, std::span<const double> logp,
                                    std::span<const double> reference_logp, std::span<const uint8_t> mask,
                                    double coefficient);
// For groups: the sum of k1 over a sample's model tokens, to be taken off its reward with the coefficient.
double sequence_k1(std::span<const double> logp, std::span<const double> reference_logp, std::span<const uint8_t> mask);

}  // namespace stitch::rl
