// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/index.h"

namespace stitch::ir {

Position position_of(int64_t index, const std::vector<int64_t>& shape) {
  Position position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

int64_t index_of(const Position& position, const std::vector<int64_t>& shape) {
  int64_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    index = index * shape[axis] + position[axis];
  }
  return index;
}

int64_t broadcast_index(const Position& position, const std::vector<int64_t>& shape) {
  const size_t missing = position.size() - shape.size();
  int64_t index = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    index = index * shape[axis] + (shape[axis] == 1 ? 0 : position[axis + missing]);
  }
  return index;
}

ReferenceTensor make_reference(const TensorType& type) {
  return {type, std::vector<double>(static_cast<size_t>(type.element_count()), 0.0)};
}

const TensorType& output_type(const Graph& graph, const Node& node, size_t i) { return graph.type(node.outputs[i]); }

AxisSplit split_at(const std::vector<int64_t>& shape, size_t axis) {
  AxisSplit split;
  split.extent = shape[axis];
  for (size_t i = 0; i < axis; ++i) {
    split.outer *= shape[i];
  }
  for (size_t i = axis + 1; i < shape.size(); ++i) {
    split.inner *= shape[i];
  }
  return split;
}

}  // namespace stitch::ir
