// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/stack_problem.h"

#include <algorithm>
#include <set>

#include "ir/graph/op.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

constexpr size_t kMostLayers = 16;

auto no_stack(const ir::Graph& graph, ir::ValueId value, const char* reason) {
  return failure(ErrorCode::kUnsupportedOperator, graph.value(value).name + " " + reason);
}

const ir::Node* made_in(const Group& group, ir::ValueId value, ir::Op op) {
  const ir::Node* node = group.computes(value) ? &group.graph->node(group.graph->value(value).producer) : nullptr;
  return node != nullptr && node->op == op ? node : nullptr;
}

// Whether the product's axes of samples and time are the other way around than the layer's.
bool turns_batch_first(const ir::Node& permute) {
  return ir::ints_attribute(permute, "dims") == std::vector<int64_t>{1, 0, 2};
}

Result<StackedLayer> stacked_layer(const Group& group, const ir::Node& node, bool& is_batch_first) {
  const ir::Graph& graph = *group.graph;
  StackedLayer layer{&node, recurrent_problem(graph, node), {}, {}, {}};
  if (layer.problem.direction_count() != 1) {
    return no_stack(graph, node.outputs[0], "has two directions, the second of which starts from the last time step");
  }
  ir::ValueId gates = layer.problem.directions[0].gates;
  const ir::Node* permute = made_in(group, gates, ir::Op::kPermute);
  is_batch_first = permute != nullptr && turns_batch_first(*permute);
  if (is_batch_first) {
    gates = ir::tensor_operand(*permute, 0);
  }
  const ir::Node* product = made_in(group, gates, ir::Op::kLinear);
  if (product == nullptr) {
    return no_stack(graph, gates, "is no product of the layer's input in the step itself");
  }
  layer.x = ir::tensor_operand(*product, 0);
  layer.input_weight = ir::tensor_operand(*product, 1);
  if (ir::is_tensor(product->operands[2])) {
    layer.input_bias = ir::tensor_operand(*product, 2);
  }
  return layer;
}

// From the root downwards, as long as the input is the output of another layer of the group.
Result<Stack> layers_of(const Group& group) {
  const ir::Graph& graph = *group.graph;
  Stack stack;
  const ir::Node* node = &group.root_node();
  while (node != nullptr) {
    STITCH_ASSIGN(StackedLayer layer, stacked_layer(group, *node, stack.is_batch_first));
    stack.layers.insert(stack.layers.begin(), layer);
    const ir::ValueId x = layer.x;
    node = made_in(group, x, group.root_node().op);
    if (node != nullptr && (x != node->outputs[0] || stack.is_batch_first)) {
      return no_stack(graph, x, "is not the output of the layer below as it lies");
    }
  }
  const RecurrentProblem& top = stack.top();
  for (const StackedLayer& layer : stack.layers) {
    if (layer.problem.cell != top.cell || layer.problem.units != top.units) {
      return no_stack(graph, layer.node->outputs[0], "is another kind of layer than the one above it");
    }
  }
  if (stack.layers.size() < 2 || stack.layers.size() > kMostLayers) {
    return no_stack(graph, group.root_node().outputs[0], "stands on no other layer of the step, or on too many");
  }
  return stack;
}

// What each node of the group is for; one that is for nothing would not be computed.
Result<void> check_nodes(const Group& group, const Stack& stack) {
  const ir::Graph& graph = *group.graph;
  std::set<ir::ValueId> below;  // results of the layers under the last one
  for (const StackedLayer& layer : stack.layers) {
    if (layer.node != &group.root_node()) {
      below.insert(layer.node->outputs.begin(), layer.node->outputs.end());
    }
  }
  int64_t layers = 0;
  int64_t products = 0;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    layers += is_recurrent_layer(node) ? 1 : 0;
    products += node.op == ir::Op::kLinear ? 1 : 0;
    const bool follows = std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && below.count(std::get<ir::ValueId>(operand)) > 0;
    });
    if (follows && node.op != ir::Op::kLinear) {
      return no_stack(graph, node.outputs[0], "follows from a layer under the last one");
    }
  }
  if (layers != stack.count() || products != stack.count()) {
    return no_stack(graph, group.root_node().outputs[0], "is not the top of everything in the step");
  }
  return {};
}

Result<void> check_memory(const Group& group, const Stack& stack) {
  const ir::Graph& graph = *group.graph;
  const auto x = strided_view(group, stack.layers[0].x);
  if (!x.has_value() || x->strides.size() != 3 || x->strides[2] > 1) {
    return no_stack(graph, stack.layers[0].x, "has to be in memory, feature by feature");
  }
  for (const StackedLayer& layer : stack.layers) {
    const RecurrentDirection& own = layer.problem.directions[0];
    for (const std::optional<ir::ValueId> operand :
         {std::optional(layer.input_weight), layer.input_bias, std::optional(own.weight), own.bias}) {
      if (operand.has_value() && !lies_contiguous(group, *operand)) {
        return no_stack(graph, *operand, "has to lie in memory side by side");
      }
    }
    if (&layer != &stack.layers.back() && has_result(group, layer.node->outputs[0])) {
      return no_stack(graph, layer.node->outputs[0], "is wanted outside, and only its last state would be there");
    }
  }
  return {};
}

}  // namespace

bool has_result(const Group& group, ir::ValueId value) {
  return std::find(group.results.begin(), group.results.end(), value) != group.results.end();
}

Result<Stack> stack_of(const Group& group) {
  STITCH_ASSIGN(Stack stack, layers_of(group));
  STITCH_TRY(check_nodes(group, stack));
  STITCH_TRY(check_memory(group, stack));
  return stack;
}

}  // namespace stitch::kernels
