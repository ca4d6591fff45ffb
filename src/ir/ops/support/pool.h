// SPDX-License-Identifier: Apache-2.0
// Pooling over the last two or three axes of a tensor with a channel axis and perhaps a batch axis before them.
#pragma once

#include <functional>

#include "ir/ops.h"
#include "ir/ops/support/index.h"
#include "ir/ops/support/window.h"

namespace stitch::ir {

// A window's result, and where in its plane it comes from (for indices).
struct Pooled {
  double value = 0.0;
  int64_t index = 0;
};
using PoolWindow = std::function<Pooled(const double* plane, const std::vector<int64_t>& extents, const Position& out)>;

// The type under this window, or why there is none.
Result<TensorType> pooled_type(const Graph& graph, const Node& node, const Window& window);
// The operand's type with `output_size` in place of its last axes.
Result<TensorType> adaptive_type(const Graph& graph, const Node& node, size_t axes);
// One or two results of that type: the second, where the node has one, of int64.
std::vector<TensorType> with_indices(const TensorType& type, bool indices);

// Calls `pool` for each output element; a second output takes the indices.
std::vector<ReferenceTensor> reference_pool(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                            size_t axes, const PoolWindow& pool);

// The largest element of each window; padding never wins, NaN always does. `indices`: a second output says where in its
// plane each comes from: of equals the first, of NaN the last.
OpDef max_pool_def(size_t axes, bool indices);
// The sum of each window over a divisor: divisor_override unless it is 0, else the window's elements, padding included
// or not. What a last window of ceil_mode reaches beyond the padding never counts.
OpDef avg_pool_def(size_t axes);
// The average, or the largest element, of windows that divide the input into output_size parts: part i of n covers
// [floor(i*extent/n), ceil((i+1)*extent/n)), so neighbours may overlap by one element.
OpDef adaptive_avg_pool_def(size_t axes);
OpDef adaptive_max_pool_def(size_t axes, bool indices);

}  // namespace stitch::ir
