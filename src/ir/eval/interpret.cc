// SPDX-License-Identifier: Apache-2.0
#include "ir/eval/interpret.h"

#include <fmt/format.h>

#include <optional>

#include "ir/graph/op.h"

namespace stitch::ir {
namespace {

using Values = std::vector<std::optional<ReferenceTensor>>;

Result<void> bind_inputs(const Graph& graph, const std::vector<ReferenceTensor>& inputs, Values& values) {
  if (inputs.size() != graph.inputs.size()) {
    return failure(ErrorCode::kUsage,
                   fmt::format("the graph has {} inputs, not {}", graph.inputs.size(), inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = graph.inputs[i].value;
    if (inputs[i].type != graph.type(id) ||
        inputs[i].data.size() != static_cast<size_t>(inputs[i].type.element_count())) {
      return failure(ErrorCode::kUsage, fmt::format("what is given for {} is of another type", graph.value(id).name));
    }
    values[static_cast<size_t>(id.index)] = inputs[i];
  }
  return {};
}

Result<void> run_node(const Graph& graph, const Node& node, Values& values) {
  const OpDef* def = find_op(node.op);
  if (def == nullptr) {
    return failure(ErrorCode::kUnsupportedOperator, fmt::format("{} has no reference", to_string(node.op)),
                   node.location);
  }
  std::vector<const ReferenceTensor*> operands;
  for (const Operand& operand : node.operands) {
    const ValueId* id = std::get_if<ValueId>(&operand);
    operands.push_back(id == nullptr ? nullptr : &*values[static_cast<size_t>(id->index)]);
  }
  std::vector<ReferenceTensor> results = def->reference(graph, node, operands);
  STITCH_CHECK(results.size() == node.outputs.size())
      << to_string(node.op) << "'s reference gives another number of results";
  for (size_t i = 0; i < results.size(); ++i) {
    values[static_cast<size_t>(node.outputs[i].index)] = std::move(results[i]);
  }
  return {};
}

}  // namespace

Result<std::vector<ReferenceTensor>> interpret(const Graph& graph, const std::vector<ReferenceTensor>& inputs) {
  Values values(graph.values.size());
  STITCH_TRY(bind_inputs(graph, inputs, values));
  for (const Node& node : graph.nodes) {
    STITCH_TRY(run_node(graph, node, values));
  }
  std::vector<ReferenceTensor> outputs;
  for (const GraphOutput& output : graph.outputs) {
    outputs.push_back(*values[static_cast<size_t>(output.value.index)]);
  }
  return outputs;
}

}  // namespace stitch::ir
