// SPDX-License-Identifier: Apache-2.0
// Positions in row-major tensors, for the slow references.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ops.h"

namespace stitch::ir {

using Position = std::vector<int64_t>;

// The position of element `index`, and back.
Position position_of(int64_t index, const std::vector<int64_t>& shape);
int64_t index_of(const Position& position, const std::vector<int64_t>& shape);

// The element of a tensor of `shape` that broadcasting shows at `position`: leading axes missing, extents of one held.
int64_t broadcast_index(const Position& position, const std::vector<int64_t>& shape);

// A tensor of zeros.
ReferenceTensor make_reference(const TensorType& type);
// Types of the outputs of a node that was inferred before.
const TensorType& output_type(const Graph& graph, const Node& node, size_t i = 0);

// A row-major tensor seen as [outer][extent][inner] around one axis.
struct AxisSplit {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
};
AxisSplit split_at(const std::vector<int64_t>& shape, size_t axis);

}  // namespace stitch::ir
