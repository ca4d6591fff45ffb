// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/numbering.h"

#include "ir/graph/op.h"

namespace stitch::plan {

const ir::Node* maker_of(const ir::Graph& graph, const ir::Operand& operand) {
  if (!ir::is_tensor(operand)) {
    return nullptr;
  }
  const ir::NodeId producer = graph.value(std::get<ir::ValueId>(operand)).producer;
  return producer.is_valid() ? &graph.node(producer) : nullptr;
}

int64_t extent_from_last(const std::vector<int64_t>& shape, size_t axis) {
  return axis < shape.size() ? shape[shape.size() - 1 - axis] : 1;
}

const ir::Node* numbering(const ir::Graph& graph, const ir::Operand& operand, size_t from_last, int64_t n) {
  if (!ir::is_tensor(operand)) {
    return nullptr;
  }
  const TensorType& type = graph.type(std::get<ir::ValueId>(operand));
  if (type.element_count() != n || extent_from_last(type.shape, from_last) != n) {
    return nullptr;
  }
  const ir::Node* node = maker_of(graph, operand);
  while (node != nullptr && node->op == ir::Op::kReshape) {
    node = maker_of(graph, node->operands[0]);
  }
  const bool is_numbering = node != nullptr && node->op == ir::Op::kArange && ir::double_attribute(*node, "step") != 0;
  return is_numbering ? node : nullptr;
}

}  // namespace stitch::plan
