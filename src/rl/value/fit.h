// SPDX-License-Identifier: Apache-2.0
// How much of the returns a critic explains, and whether the actor may learn from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace stitch::rl {

struct ValueFit {
  // 1 - Var(return - value) / Var(return): 1 is a perfect critic, 0 one no better than a constant, below 0 worse than
  // that. None where returns do not differ, and there is nothing to explain. It does not see a constant error: `bias`
  // does.
  std::optional<double> explained_variance = {};
  double bias = 0;  // mean of value - return; above 0 the critic promises too much
  double mean_return = 0;
  int64_t tokens = 0;  // that were compared
};

// Over tokens whose mask is not 0. `returns` must be Monte Carlo returns, or targets with a critic's lambda of 1:
// measured against targets that contain its own values a critic agrees with itself.
ValueFit value_fit(std::span<const double> returns, std::span<const double> values, std::span<const uint8_t> mask);

// The gate of PPO: no update of the actor while the critic, on a batch that it was not trained on, explains less than
// `min_explained_variance`; the critic goes on learning. Without a minimum the gate is open. Shut where there is no
// explained variance: equal returns hold no signal, so that all which an actor could be told is the critic's error.
// Bias: none, since it takes whole updates away. What it costs is rollouts.
bool is_gate_open(const ValueFit& fit, const std::optional<double>& min_explained_variance);

}  // namespace stitch::rl
