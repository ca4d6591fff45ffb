// SPDX-License-Identifier: Apache-2.0
// What the attention skeletons take: out = softmax(mask(scale * Q K^T)) V per batch element and head.
//
// Mask: float operator()(int64_t batch, int64_t head, int64_t query, int64_t key, float score) const returns the score
//   plus an additive mask, or -INFINITY where attention is barred. Causal masking is a template flag instead, so that
//   whole tiles are skipped: key > query is barred (queries and keys aligned at the top left, as PyTorch does).
// Store: void operator()(int64_t batch, int64_t head, int64_t query, int64_t dimension, float value) const.
// A query that may attend to nothing gets zeros, as in scaled_dot_product_attention, or NaN where the shape says so, as
// a softmax of nothing but minus infinity is.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

struct AttentionShape {
  int64_t batch;
  int64_t heads;
  int64_t key_heads;  // heads of K and V; heads % key_heads == 0 (grouped-query attention)
  int64_t queries;
  int64_t keys;
  int64_t head_dimension;        // of Q and K; at most the template's kHeadDimension
  int64_t value_head_dimension;  // of V and the output; at most the template's kHeadDimension
  float scale;
  float barred = 0.0f;  // 0 or NaN: what a query gets that may attend to nothing
};

// Stride of the head dimension is 1. T: float, __half or __nv_bfloat16, the same for Q, K and V.
template <typename T>
struct AttentionOperandOf {
  const T* data;
  int64_t batch_stride;
  int64_t head_stride;
  int64_t row_stride;
};
using AttentionOperand = AttentionOperandOf<float>;

struct NoMask {
  __device__ __forceinline__ float operator()(int64_t, int64_t, int64_t, int64_t, float score) const { return score; }
};

}  // namespace stitch
