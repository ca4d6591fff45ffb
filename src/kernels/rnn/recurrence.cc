// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/recurrence.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops/support/recurrent.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

// What `value` is a view of.
ir::ValueId shown_by(const Group& group, ir::ValueId value) {
  while (group.computes(value) && is_view(group.graph->node(group.graph->value(value).producer))) {
    value = ir::tensor_operand(group.graph->node(group.graph->value(value).producer), 0);
  }
  return value;
}

}  // namespace

bool is_recurrent_layer(const ir::Node& node) {
  return node.op == ir::Op::kLstmLayer || node.op == ir::Op::kGruLayer || node.op == ir::Op::kRnnLayer;
}

RecurrentProblem recurrent_problem(const ir::Graph& graph, const ir::Node& node) {
  RecurrentProblem layer;
  layer.has_cell = node.op == ir::Op::kLstmLayer;
  layer.gates = node.op == ir::Op::kLstmLayer ? 4 : node.op == ir::Op::kGruLayer ? 3 : 1;
  if (node.op == ir::Op::kRnnLayer) {
    layer.cell = ir::string_attribute(node, "nonlinearity") == "tanh" ? "stitch::RnnTanhCell" : "stitch::RnnReluCell";
  } else {
    layer.cell = layer.has_cell ? "stitch::LstmCell" : "stitch::GruCell";
  }
  layer.hidden = ir::tensor_operand(node, 1);
  if (layer.has_cell) {
    layer.initial_cell = ir::tensor_operand(node, 2);
  }
  const ir::RecurrentKind kind{layer.gates, layer.has_cell};
  for (const size_t direction : {size_t{0}, size_t{1}}) {
    const ir::RecurrentOperands at = ir::recurrent_operands(kind, direction);
    if (ir::is_tensor(node.operands[at.gates])) {
      layer.directions.push_back({ir::tensor_operand(node, at.gates), ir::tensor_operand(node, at.weight), {}});
      if (ir::is_tensor(node.operands[at.bias])) {
        layer.directions.back().bias = ir::tensor_operand(node, at.bias);
      }
    }
  }
  layer.steps = graph.type(layer.directions[0].gates).shape[0];
  layer.batch = graph.type(layer.hidden).shape[1];
  layer.units = graph.type(layer.hidden).shape[2];
  return layer;
}

bool lies_contiguous(const Group& group, ir::ValueId value) {
  const auto view = strided_view(group, value);
  const std::vector<int64_t>& shape = group.graph->type(value).shape;
  int64_t expected = 1;
  for (size_t axis = shape.size(); view.has_value() && axis-- > 0;) {
    if (shape[axis] != 1 && view->strides[axis] != expected) {
      return false;
    }
    expected *= shape[axis];
  }
  return view.has_value();
}

Result<void> check_last_states(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const auto& outputs = group.root_node().outputs;
  std::set<ir::ValueId> states(outputs.begin() + 1, outputs.end());
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    const bool follows = std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && states.count(std::get<ir::ValueId>(operand)) > 0;
    });
    if (follows && !is_view(node)) {
      return failure(ErrorCode::kUnsupportedOperator,
                     graph.value(node.outputs[0]).name + " needs the last state, which changes until the last step");
    }
    if (follows) {
      states.insert(node.outputs[0]);
    }
  }
  return {};
}

Result<void> add_initial_state(StepBuilder& step, ir::ValueId state, const std::string& variable,
                               const std::string& comment) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(state).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(state).name) + "Initial", domain,
                         {{"direction", {0}}, {"row", {1}}, {"unit", {2}}});
  STITCH_ASSIGN(Expr element, builder.value(state, domain.anchor_map()));
  construct(step, builder.finish({.comment = comment, .returns = std::move(element)}), variable);
  return {};
}

Result<void> add_recurrent_store(StepBuilder& step, const RecurrentProblem& layer,
                                 const std::vector<ir::ValueId>& results) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const Domain domain({layer.steps, layer.batch, layer.direction_count(), layer.units});
  FunctorBuilder builder(step, pascal_case(group.graph->value(results[0]).name) + "Store", domain,
                         {{"time", {0}}, {"row", {1}}, {"direction", {2}}, {"unit", {3}}});
  const IndexMap at = domain.anchor_map();
  const AffineIndex column{0, {{at[2].terms[0].loop, layer.units}, at[3].terms[0]}};
  builder.reserve("hidden");
  builder.reserve("cell");
  builder.bind(node.outputs[0], {at[0], at[1], column}, bound("hidden"));
  builder.bind(node.outputs[1], {at[2], at[1], at[3]}, bound("hidden"));
  if (layer.has_cell) {
    builder.bind(node.outputs[2], {at[2], at[1], at[3]}, bound("cell"));
  }
  STITCH_TRY(builder.store_results(results));
  const bool stores_cell = layer.has_cell && std::any_of(results.begin(), results.end(), [&](auto result) {
                             return shown_by(group, result) == node.outputs[2];
                           });
  const LoweredFunctor store = builder.finish(
      {.comment = "Stores what follows from one unit's new state. A last state is written at every step: the last one "
                  "stays.",
       .extra_parameters = stores_cell ? "float hidden, float cell" : "float hidden, float /*cell*/"});
  construct(step, store, "store");
  return {};
}

Expr recurrent_pointer(StepBuilder& step, ir::ValueId value, const std::string& role) {
  const StridedView view = *strided_view(step.group(), value);
  const Expr start = cast(fmt::format("const {}*", cuda_type_name(step.group().graph->type(view.stored).dtype)),
                          step.tensor(view.stored));
  return view.offset == 0 ? start : sum(start, step.extent(role + "_offset", view.offset));
}

}  // namespace stitch::kernels
