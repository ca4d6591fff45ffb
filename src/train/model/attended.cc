// SPDX-License-Identifier: Apache-2.0
#include "train/model/attended.h"

#include <cmath>
#include <limits>

namespace stitch::train {

Tensor attended_with_repeated_keys(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask,
                                   bool causal) {
  const int64_t group = q.size(1) / k.size(1);
  return at::scaled_dot_product_attention(q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1), mask, 0.0,
                                          causal);
}

Tensor attended_by_groups(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask) {
  const Tensor grouped = q.squeeze(2).unflatten(1, {k.size(1), -1}) / std::sqrt(static_cast<double>(q.size(3)));
  Tensor scores = at::matmul(grouped, k.transpose(2, 3));
  if (mask.has_value()) {
    scores = scores.masked_fill(~*mask, -std::numeric_limits<double>::infinity());
  }
  const auto wide = scores.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const Tensor shares = at::softmax(scores, -1, wide).to(v.scalar_type());
  return at::matmul(shares, v).flatten(1, 2).unsqueeze(2);
}

Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask, bool causal) {
  const bool shares_keys = q.size(1) != k.size(1);
  if (shares_keys && q.is_cuda() && (q.scalar_type() == at::kFloat || mask.has_value())) {
    return q.size(2) == 1 ? attended_by_groups(q, k, v, mask) : attended_with_repeated_keys(q, k, v, mask, causal);
  }
  return at::scaled_dot_product_attention(q, k, v, mask, 0.0, causal, std::nullopt, shares_keys);
}

}  // namespace stitch::train
