// SPDX-License-Identifier: Apache-2.0
// Who made a value: the passes of this folder follow a graph backwards.
#pragma once

#include "ir/graph/graph.h"
#include "ir/graph/op.h"

namespace stitch::plan {

// The node that makes `value`; null for an input of the graph.
inline const ir::Node* producer_of(const ir::Graph& graph, ir::ValueId value) {
  const ir::NodeId id = graph.value(value).producer;
  return id.is_valid() ? &graph.node(id) : nullptr;
}

// What `value` is a reshape of, through any number of them. Reshapes keep the order of elements: whatever they are
// called, the values are the same.
inline ir::ValueId through_reshapes(const ir::Graph& graph, ir::ValueId value) {
  const ir::Node* node = producer_of(graph, value);
  while (node != nullptr && node->op == ir::Op::kReshape) {
    value = ir::tensor_operand(*node, 0);
    node = producer_of(graph, value);
  }
  return value;
}

}  // namespace stitch::plan
