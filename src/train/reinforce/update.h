// SPDX-License-Identifier: Apache-2.0
// What one update computes: scores of what was drawn, and the gradients of the policy's and of the critic's loss.
#pragma once

#include <cstdint>
#include <vector>

#include "train/algorithms/policy_loss.h"
#include "train/algorithms/value_loss.h"
#include "train/model/token_scores.h"
#include "train/records/training_record.h"

namespace stitch::train {

// One sample. The lists have an entry for each token of the response, or are empty where nobody reads them; what stands
// at tokens that the model did not write is not read.
struct LearnedSample {
  const TrainingRecord* record = nullptr;
  std::vector<double> old_logp{};  // under the policy that drew it, computed by the trainer
  std::vector<double> advantages{};
  std::vector<double> weights{};         // of importance; empty: 1
  std::vector<double> reference_logp{};  // where a divergence is a loss
  std::vector<double> old_values{};
  std::vector<double> targets{};  // of the critic
};
using LearnedSamples = std::vector<const LearnedSample*>;

struct PassSettings {
  int64_t micro_batch = 8;  // records of one pass; changes nothing but for rounding
  Pass pass{};
  ScoreSettings scores{};
};

struct RecordScores {
  std::vector<double> logp{};  // of each token of the response; 0 where the model did not write it
  std::vector<double> entropy{};
};

// Without gradients, entropies with them.
std::vector<RecordScores> score_records(const Decoder& model, const std::vector<const TrainingRecord*>& records,
                                        const PassSettings& settings);

// A critic's value before each token of the response, without gradients.
std::vector<std::vector<double>> values_of(const Decoder& critic, const std::vector<const TrainingRecord*>& records,
                                           const PassSettings& settings);

struct PolicyShare {
  double loss = 0;
  PolicySums sums{};
};
// Adds the gradients of the loss over all of `samples`, however many are computed at once.
PolicyShare accumulate_policy(const Decoder& model, const LearnedSamples& samples, const PolicyLossOptions& options,
                              const PassSettings& settings);

struct ValueShare {
  double loss = 0;
  double tokens = 0;
  double clipped = 0;
};
ValueShare accumulate_value(const Decoder& critic, const LearnedSamples& samples, const ValueLossOptions& options,
                            const PassSettings& settings);

}  // namespace stitch::train
