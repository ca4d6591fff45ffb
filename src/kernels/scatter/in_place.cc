// SPDX-License-Identifier: Apache-2.0
#include "kernels/scatter/in_place.h"

#include <algorithm>

#include "ir/graph/op.h"

namespace stitch::kernels {
namespace {

bool keeps_elements(const ir::Node& node) { return node.op == ir::Op::kReshape || node.op == ir::Op::kPermute; }

// The views that make `value` of something else, the last one first; `value` becomes that.
std::vector<const ir::Node*> views_behind(const Group& group, ir::ValueId& value) {
  std::vector<const ir::Node*> views;
  while (group.computes(value)) {
    const ir::Node& node = group.graph->node(group.graph->value(value).producer);
    if (!keeps_elements(node)) {
      break;
    }
    views.push_back(&node);
    value = ir::tensor_operand(node, 0);
  }
  return views;
}

// Whether `second`, seen after `first`, shows what `first` was made of.
bool undoes(const ir::Graph& graph, const ir::Node& second, const ir::Node& first) {
  if (second.op != first.op || graph.type(second.outputs[0]).shape != graph.type(ir::tensor_operand(first, 0)).shape) {
    return false;
  }
  if (first.op == ir::Op::kReshape) {
    return true;
  }
  const std::vector<int64_t>& there = ir::ints_attribute(first, "dims");
  const std::vector<int64_t>& back = ir::ints_attribute(second, "dims");
  for (size_t axis = 0; axis < back.size(); ++axis) {
    if (there[static_cast<size_t>(back[axis])] != static_cast<int64_t>(axis)) {
      return false;
    }
  }
  return true;
}

// Whether an element of the scatter lies at one place in both memories. Reshapes keep the order of elements.
bool lie_alike(const ir::Graph& graph, const std::vector<const ir::Node*>& before,
               const std::vector<const ir::Node*>& after) {
  size_t undone = 0;
  while (undone < std::min(before.size(), after.size()) && undoes(graph, *after[undone], *before[undone])) {
    ++undone;
  }
  const auto is_rest_reshaped = [undone](const std::vector<const ir::Node*>& views) {
    return std::all_of(views.begin() + static_cast<std::ptrdiff_t>(undone), views.end(),
                       [](const ir::Node* view) { return view->op == ir::Op::kReshape; });
  };
  return is_rest_reshaped(before) && is_rest_reshaped(after);
}

}  // namespace

std::optional<InPlace> scatter_in_place(const Group& group) {
  const ir::Node& node = group.root_node();
  if (node.op != ir::Op::kScatter || group.results.size() != 1) {
    return std::nullopt;
  }
  ir::ValueId from = ir::tensor_operand(node, 0);
  const std::vector<const ir::Node*> before = views_behind(group, from);
  const ir::ValueId to = group.results[0];
  ir::ValueId stored = to;
  std::vector<const ir::Node*> after = views_behind(group, stored);
  std::reverse(after.begin(), after.end());  // the first one after the scatter first
  if (stored != node.outputs[0] || !group.reads(from) || !lie_alike(*group.graph, before, after)) {
    return std::nullopt;
  }
  return InPlace{from, to};
}

bool reads_only_to_update(const Group& group, const InPlace& in_place) {
  // From the memory to the scatter there is one way, through views alone.
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
    if (!keeps_elements(*user)) {
      return false;
    }
    at = user->outputs[0];
  }
}

}  // namespace stitch::kernels
