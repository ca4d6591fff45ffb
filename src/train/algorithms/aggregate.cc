// SPDX-License-Identifier: Apache-2.0
#include "train/algorithms/aggregate.h"

#include <algorithm>

namespace stitch::train {

BatchCounts counts_of(const Tensor& mask) {
  const Tensor by_sequence = mask.sum(1);
  return {.tokens = by_sequence.sum().item<double>(), .sequences = by_sequence.gt(0).sum().item<double>()};
}

BatchCounts operator+(const BatchCounts& a, const BatchCounts& b) {
  return {.tokens = a.tokens + b.tokens, .sequences = a.sequences + b.sequences};
}

Tensor unmasked(const Tensor& values, const Tensor& mask) {
  const bool is_wide = values.scalar_type() == at::kDouble || values.scalar_type() == at::kFloat;
  // Before anything is computed of them: NaN times a mask of 0 is NaN, and so is its gradient.
  return at::where(mask, is_wide ? values : values.to(at::kFloat), 0);
}

Tensor aggregate(const Tensor& per_token, const Tensor& mask, const AggregationOptions& options,
                 const BatchCounts& whole) {
  const Tensor losses = unmasked(per_token, mask);
  const double sequences = std::max(whole.sequences, 1.0);
  switch (options.kind) {
    case Aggregation::kTokenMeanGlobal:
      return losses.sum() / std::max(whole.tokens, 1.0);
    case Aggregation::kSeqMeanTokenMean:
      return (losses.sum(1) / mask.sum(1).clamp_min(1)).sum() / sequences;
    case Aggregation::kSumConst:
      return losses.sum() / (sequences * options.constant);
    case Aggregation::kTokenSum:
      break;
  }
  return losses.sum();
}

Result<Aggregation> aggregation_from_string(const std::string& name) {
  if (name == "token_mean_global") {
    return Aggregation::kTokenMeanGlobal;
  }
  if (name == "seq_mean_token_mean") {
    return Aggregation::kSeqMeanTokenMean;
  }
  if (name == "sum_const") {
    return Aggregation::kSumConst;
  }
  if (name == "token_sum") {
    return Aggregation::kTokenSum;
  }
  return failure(ErrorCode::kUsage, "'" + name + "' is no aggregation of losses", "algo.agg",
                 "use token_mean_global, seq_mean_token_mean, sum_const or token_sum");
}

}  // namespace stitch::train
