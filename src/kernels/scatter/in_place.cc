// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/in_place.h"

#include <algorithm>

namespace stitch::kernels {
namespace {

// What `value` is a reshape of, within the group.
ir::ValueId before_reshapes(const Group& group, ir::ValueId value) {
  while (group.computes(value) && group.graph->node(group.graph->value(value).producer).op == "reshape") {
    value = ir::tensor_operand(group.graph->node(group.graph->value(value).producer), 0);
  }
  return value;
}

int64_t uses(const ir::Node& node, ir::ValueId value) {
  return std::count_if(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
    return ir::is_tensor(operand) && std::get<ir::ValueId>(operand) == value;
  });
}

}  // namespace

std::optional<InPlace> scatter_in_place(const Group& group) {
  const ir::Node& node = group.root_node();
  if (node.op != "scatter" || group.results.size() != 1) {
    return std::nullopt;
  }
  const ir::ValueId to = group.results[0];
  const ir::ValueId from = before_reshapes(group, ir::tensor_operand(node, 0));
  if (before_reshapes(group, to) != node.outputs[0] || !group.reads(from)) {
    return std::nullopt;
  }
  return InPlace{from, to};
}

bool is_update_of_state(const ir::Graph& graph, const InPlace& in_place) {
  for (const ir::GraphOutput& output : graph.outputs) {
    for (const ir::GraphInput& input : graph.inputs) {
      if (output.role == TensorRole::kState && input.role == TensorRole::kState && input.binding == output.binding &&
          input.value == in_place.from && output.value == in_place.to) {
        return true;
      }
    }
  }
  return false;
}

bool reads_only_to_update(const Group& group, const InPlace& in_place) {
  // From the memory to the scatter there is one way, through reshapes alone.
  ir::ValueId at = in_place.from;
  while (true) {
    int64_t all_uses = 0;
    const ir::Node* user = nullptr;
    for (const ir::NodeId id : group.nodes) {
      const ir::Node& node = group.graph->node(id);
      if (const int64_t count = uses(node, at); count > 0) {
        all_uses += count;
        user = &node;
      }
    }
    if (all_uses != 1) {
      return false;
    }
    if (user == &group.root_node()) {
      return ir::tensor_operand(*user, 0) == at;
    }
    if (user->op != "reshape") {
      return false;
    }
    at = user->outputs[0];
  }
}

}  // namespace stitch::kernels
