// SPDX-License-Identifier: Apache-2.0
// From judged answers to what each token is worth.
#pragma once

#include <optional>
#include <vector>

#include "rl/advantage/filter.h"
#include "rl/correction/mismatch.h"
#include "rl/value/fit.h"
#include "train/reinforce/algo_settings.h"
#include "train/reinforce/update.h"
#include "train/rollout/roll_out.h"

namespace stitch::train {

// What a sample earned, a penalty for its length included: of trloo all of its turns, else the last one. None: the
// world failed.
std::optional<double> earned(const RolloutSample& sample, const AlgoSettings& settings, int64_t max_tokens);

// Which groups are worth an update. With a critic all are, and only their counts are of interest.
rl::FilteredGroups filter_rollouts(const std::vector<RolloutGroup>& groups, const AlgoSettings& settings,
                                   int64_t max_tokens);

// A sample on its way into an update.
struct Credited {
  const RolloutSample* sample = nullptr;
  size_t group = 0;  // samples with the same number were drawn for the same prompt
  double reward = 0;
  LearnedSample learned{};
};

// The judged samples of the kept groups, in their order.
std::vector<Credited> credited_samples(const std::vector<RolloutGroup>& groups, const std::vector<size_t>& kept,
                                       const AlgoSettings& settings, int64_t max_tokens);

// Fills in the weights by the sampler's log-probabilities and the trainer's own, which must be there.
void weigh(std::vector<Credited>& credited, const rl::ImportanceOptions& options);
rl::Mismatch mismatch_of(const std::vector<Credited>& credited);

// Fills in the advantages of groups. With kl in the reward, log-probabilities of the reference must be there.
void credit_groups(std::vector<Credited>& credited, const AlgoSettings& settings);

// Fills in advantages and targets of a critic, whose values must be there; advantages are whitened over all tokens
// where that is asked for. The fit is of the values against the returns themselves.
rl::ValueFit credit_tokens(std::vector<Credited>& credited, const AlgoSettings& settings, const PpoSettings& ppo);

}  // namespace stitch::train
