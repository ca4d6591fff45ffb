// SPDX-License-Identifier: Apache-2.0
// scaled_dot_product_attention: the scale made explicit, leading axes made equal.
#include <algorithm>
#include <cmath>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// Query, key and value may broadcast over leading axes; heads shared by enable_gqa stay as they are.
Result<std::vector<ValueId>> with_equal_batches(Call& call, std::vector<ValueId> tensors, bool grouped) {
  const size_t last_batch_axis = grouped ? 3 : 2;
  size_t rank = 0;
  for (const ValueId id : tensors) {
    rank = std::max(rank, call.shape(id).size());
  }
  std::vector<int64_t> batch(rank - last_batch_axis, 1);
  for (const ValueId id : tensors) {
    const std::vector<int64_t>& shape = call.shape(id);
    for (size_t from_end = last_batch_axis + 1; from_end <= shape.size(); ++from_end) {
      int64_t& extent = batch[rank - from_end];
      extent = extent == 1 ? shape[shape.size() - from_end] : extent;
    }
  }
  for (ValueId& id : tensors) {
    const std::vector<int64_t>& own = call.shape(id);
    std::vector<int64_t> shape = batch;
    shape.insert(shape.end(), own.end() - static_cast<std::ptrdiff_t>(last_batch_axis), own.end());
    STITCH_ASSIGN(id, call.expand(id, shape));
  }
  return tensors;
}

}  // namespace

// (query, key, value, attn_mask, dropout_p, is_causal, *, scale, enable_gqa)
Converted convert_attention(Call& call) {
  STITCH_ASSIGN(const ValueId query, call.tensor(0, "query"));
  STITCH_ASSIGN(const ValueId key, call.tensor(1, "key"));
  STITCH_ASSIGN(const ValueId value, call.tensor(2, "value"));
  STITCH_ASSIGN(const Operand mask, call.optional_tensor(3, "attn_mask"));
  STITCH_ASSIGN(const double dropout, call.number(4, "dropout_p", 0.0));
  STITCH_ASSIGN(const bool is_causal, call.boolean(5, "is_causal", false));
  if (dropout != 0.0) {
    return call.unsupported("attention with dropout draws random numbers; import the program with --eval");
  }
  STITCH_ASSIGN(const bool grouped, call.boolean(7, "enable_gqa", false));
  for (const ValueId id : {query, key, value}) {
    STITCH_TRY(call.require(call.shape(id).size() >= (grouped ? 3 : 2), "query, key and value have too few axes"));
  }
  const double features = static_cast<double>(call.shape(query).back());
  STITCH_ASSIGN(const double scale, call.number(6, "scale", 1.0 / std::sqrt(features)));
  STITCH_ASSIGN(const auto tensors, with_equal_batches(call, {query, key, value}, grouped));
  return call.finish(Op::kScaledDotProductAttention, {tensors[0], tensors[1], tensors[2], mask},
                     {{"is_causal", is_causal}, {"scale", scale}, {"enable_gqa", grouped}});
}

}  // namespace stitch::frontend
