// SPDX-License-Identifier: Apache-2.0
// What a step says of itself: metrics.jsonl has it by these names (docs/training.md).
#pragma once

#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "rl/advantage/filter.h"
#include "rl/correction/mismatch.h"
#include "rl/value/fit.h"
#include "train/reinforce/update.h"
#include "train/rollout/roll_out.h"

namespace stitch::train {

// Of answers that were drawn: rewards, passes, hacks, lengths, turns, outcomes, parts of the reward, each skill apart.
// A mean over nothing is null.
Json rollout_metrics(const std::vector<RolloutGroup>& groups);

// How many groups were kept, and why the others were not; "zero_variance" is the share of those of equal rewards.
Json group_metrics(const rl::FilterCounts& counts);

// What the updates of one step add up to.
struct UpdateTotals {
  int64_t updates = 0;  // of the policy
  double loss = 0;      // sums over updates
  double gradient_norm = 0;
  PolicySums sums{};
  int64_t critic_updates = 0;
  double critic_loss = 0;
  double critic_norm = 0;
  double value_tokens = 0, value_clipped = 0;
};
Json update_metrics(const UpdateTotals& totals, bool has_reference);

// "advantage": over the tokens that are learned, as the update takes them; null where there are none.
Json advantage_metrics(const LearnedSamples& samples);

// "mismatch": of the sampler against the trainer, at the weights that drew.
Json mismatch_metrics(const rl::Mismatch& mismatch);
Json critic_metrics(const UpdateTotals& totals, const rl::ValueFit& fit, bool is_gate_open);

// One line for whoever watches.
std::string live_line(const Json& metrics, int64_t steps);

}  // namespace stitch::train
