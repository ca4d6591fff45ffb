// SPDX-License-Identifier: Apache-2.0
#include "report/data/graph_json.h"

#include <algorithm>
#include <vector>

#include "base/json/json.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/printer.h"

namespace stitch::report {
namespace {

const char* family_name(ir::Op op) {
  const ir::OpDef* def = ir::find_op(op);
  if (def == nullptr) {
    return "other";
  }
  switch (def->family) {
    case ir::OpFamily::kPointwise:
      return "pointwise";
    case ir::OpFamily::kContraction:
    case ir::OpFamily::kConvolution:
    case ir::OpFamily::kAttention:
    case ir::OpFamily::kRecurrent:
    case ir::OpFamily::kLinearAlgebra:
      return "product";
    case ir::OpFamily::kReduction:
    case ir::OpFamily::kNormalization:
    case ir::OpFamily::kSoftmax:
    case ir::OpFamily::kPool:
    case ir::OpFamily::kLoss:
    case ir::OpFamily::kScan:
    case ir::OpFamily::kSort:
      return "reduction";
    case ir::OpFamily::kMovement:
    case ir::OpFamily::kView:
    case ir::OpFamily::kGather:
    case ir::OpFamily::kCreation:
    case ir::OpFamily::kResampling:
    case ir::OpFamily::kScatter:
      return "movement";
  }
  return "other";
}

// What makes each value: a node's index, or -1 - i for input i.
std::vector<int> producers(const ir::Graph& graph) {
  std::vector<int> made_by(graph.values.size(), 0);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    made_by[static_cast<size_t>(graph.inputs[i].value.index)] = -1 - static_cast<int>(i);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ir::ValueId output : graph.nodes[i].outputs) {
      made_by[static_cast<size_t>(output.index)] = static_cast<int>(i);
    }
  }
  return made_by;
}

Json node_json(const ir::Graph& graph, const ir::Node& node, const std::vector<int>& made_by) {
  std::vector<int> in;
  for (const ir::Operand& operand : node.operands) {
    if (!ir::is_tensor(operand)) {
      continue;
    }
    const int from = made_by[static_cast<size_t>(std::get<ir::ValueId>(operand).index)];
    if (std::find(in.begin(), in.end(), from) == in.end()) {
      in.push_back(from);
    }
  }
  const bool has_output = !node.outputs.empty();
  return Json{{"op", to_string(node.op)},
              {"family", family_name(node.op)},
              {"name", has_output ? graph.value(node.outputs[0]).name : ""},
              {"type", has_output ? ir::print(graph.type(node.outputs[0])) : ""},
              {"place", node.location},
              {"in", in},
              {"text", ir::print(graph, node)}};
}

}  // namespace

Json graph_json(const ir::Graph& graph) {
  const std::vector<int> made_by = producers(graph);
  Json inputs = Json::array();
  for (const ir::GraphInput& input : graph.inputs) {
    inputs.push_back({{"name", graph.value(input.value).name},
                      {"role", to_string(input.role)},
                      {"binding", input.binding},
                      {"type", ir::print(graph.type(input.value))},
                      {"bytes", graph.type(input.value).bytes()}});
  }
  Json outputs = Json::array();
  for (const ir::GraphOutput& output : graph.outputs) {
    outputs.push_back({{"name", graph.value(output.value).name},
                       {"role", to_string(output.role)},
                       {"binding", output.binding},
                       {"from", made_by[static_cast<size_t>(output.value.index)]}});
  }
  Json nodes = Json::array();
  for (const ir::Node& node : graph.nodes) {
    nodes.push_back(node_json(graph, node, made_by));
  }
  return Json{{"mode", graph.mode}, {"inputs", inputs}, {"outputs", outputs}, {"nodes", nodes}};
}

}  // namespace stitch::report
