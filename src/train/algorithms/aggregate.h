// SPDX-License-Identifier: Apache-2.0
// From a loss for each token to one number, the same however a batch is cut into micro-batches and ranks.
#pragma once

#include <string>

#include "base/error/result.h"
#include "train/torch/torch.h"

namespace stitch::train {

// Sums are over tokens whose mask is set; N tokens and S sequences (with at least one such token) are in the whole
// batch. What is biased is the gradient of J against that of the expected reward of a sequence.
enum class Aggregation {
  // sum / N (verl's token-mean, TRL's dapo). Bias: N is random and belongs to the same batch, so that a batch of long
  // samples is learned from less a sequence; all tokens of a batch weigh the same. Small, and none in direction within
  // a
  // batch.
  kTokenMeanGlobal,
  // mean over sequences of their own token mean (the original GRPO, TRL's grpo). Bias: a token weighs 1 / length. Long
  // wrong answers are punished less a token, and lengths of what fails grow.
  kSeqMeanTokenMean,
  // sum / (S * constant) (Dr.GRPO, verl's seq-mean-token-sum-norm). Bias: none, the constant is a learning rate.
  kSumConst,
  // sum (verl's token-sum). Bias: none, but the size of a step grows with the batch.
  kTokenSum,
};

struct AggregationOptions {
  Aggregation kind = Aggregation::kTokenMeanGlobal;
  double constant = 1;  // of kSumConst: a length in tokens, such as the longest that is allowed
};

// Of the whole batch of an update, added up over its micro-batches and ranks *before* the first of them is computed:
// the counts of one micro-batch would make accumulation and data parallelism another objective.
struct BatchCounts {
  double tokens = 0;
  double sequences = 0;  // with at least one token
};

// Of this piece. `mask`: [sequences, tokens], bool.
BatchCounts counts_of(const Tensor& mask);
BatchCounts operator+(const BatchCounts& a, const BatchCounts& b);

// The share of this piece in the batch's loss, a scalar: shares of all pieces add up to the loss. `per_token` and
// `mask`: [sequences, tokens]. What stands at masked tokens is never read, be it NaN, and its gradient is 0. A batch
// without a token has loss 0.
Tensor aggregate(const Tensor& per_token, const Tensor& mask, const AggregationOptions& options,
                 const BatchCounts& whole);

// "token_mean_global", "seq_mean_token_mean", "sum_const", "token_sum".
Result<Aggregation> aggregation_from_string(const std::string& name);

// Float or double as it is, narrower types as float; 0 where the mask is not set, and no gradient there.
Tensor unmasked(const Tensor& values, const Tensor& mask);

}  // namespace stitch::train
