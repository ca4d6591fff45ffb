// SPDX-License-Identifier: Apache-2.0
// The loss of PPO's critic, and of its pretraining.
#pragma once

#include <optional>

#include "train/algorithms/aggregate.h"

namespace stitch::train {

// All [sequences, tokens], values with a gradient and the rest without.
struct ValueInputs {
  Tensor values;
  Tensor old_values = {};  // at the time of the rollout, where there is a clip
  Tensor targets;          // rl::Gae::targets, or Monte Carlo returns
  Tensor mask;             // bool
};

struct ValueLossOptions {
  // Values may move this far from the old ones before they teach nothing more (verl's cliprange_value, 0.5). Bias:
  // targets that lie farther are approached in several batches; it depends on the scale of rewards. None in
  // pretraining.
  std::optional<double> clip = {};
  AggregationOptions aggregation = {};
};

struct ValueLoss {
  Tensor loss;  // a scalar: this piece's share
  double tokens = 0;
  double clipped = 0;  // tokens without a gradient
};

// max((v - target)^2, (v cut to old +- clip - target)^2) / 2 for each token (PPO; verl). Its minimum is the expected
// target at each state; bias is the targets' alone.
ValueLoss value_loss(const ValueInputs& inputs, const ValueLossOptions& options, const BatchCounts& whole);

}  // namespace stitch::train
