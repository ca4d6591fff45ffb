// SPDX-License-Identifier: Apache-2.0
// Softmax of scaled products of queries and keys, times values, where several heads of queries share one of keys.
#pragma once

#include <optional>

#include "train/torch/torch.h"

namespace stitch::train {

// q [batch, heads, tokens, head_dim], k and v [batch, kv_heads, keys, head_dim]; `mask` bool, broadcast to [batch,
// heads, tokens, keys], true where a token reads; `causal` without one. To [batch, heads, tokens, head_dim].
Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask, bool causal);

// The same in two ways that a GPU computes fast (PyTorch 2.11). Fused kernels take fp32, and a mask, only where there
// are as many heads of keys as of queries; otherwise all scores are written to memory.
Tensor attended_with_repeated_keys(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask,
                                   bool causal);
// One token: the heads that share keys are rows of one product with them. No fused kernel, since cuDNN's is planned
// anew for every count of keys, and each token that is drawn adds one. The mask is the same for all heads.
Tensor attended_by_groups(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask);

}  // namespace stitch::train
