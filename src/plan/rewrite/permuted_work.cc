// SPDX-License-Identifier: Apache-2.0
#include "plan/rewrite/permuted_work.h"

#include <algorithm>
#include <iterator>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/group/group.h"
#include "plan/rewrite/node_chain.h"

namespace stitch::plan {

using ir::ValueId;

int64_t innermost_axis(const std::vector<int64_t>& shape) {
  const auto found = std::find_if(shape.rbegin(), shape.rend(), [](int64_t extent) { return extent > 1; });
  return std::distance(found, shape.rend()) - 1;
}

const ir::Node* maker(const ir::Graph& graph, ValueId value) {
  const ir::NodeId producer = graph.value(value).producer;
  return producer.is_valid() ? &graph.node(producer) : nullptr;
}

bool is_permute(const ir::Node* node) { return node != nullptr && node->op == ir::Op::kPermute; }

bool runs_along(const ir::Graph& graph, const ir::Node& permute, int64_t axis) {
  return ir::ints_attribute(permute, "dims")[static_cast<size_t>(axis)] ==
         innermost_axis(graph.type(ir::tensor_operand(permute, 0)).shape);
}

bool is_pointwise(const ir::Node& node) {
  return ir::find_op(node.op)->family == ir::OpFamily::kPointwise && !kernels::is_random(node) &&
         node.outputs.size() == 1;
}

bool is_large_operand(const ir::Graph& graph, const ir::Node& node, const ir::Operand& operand) {
  constexpr int64_t kTimes = 8;
  return ir::is_tensor(operand) &&
         graph.type(std::get<ValueId>(operand)).element_count() * kTimes > graph.type(node.outputs[0]).element_count();
}

std::vector<const ir::Node*> permutes_of_operands(const ir::Graph& graph, const ir::Node& node) {
  const size_t rank = graph.type(node.outputs[0]).shape.size();
  std::vector<const ir::Node*> permutes;
  for (const ir::Operand& operand : node.operands) {
    if (!is_large_operand(graph, node, operand)) {
      continue;
    }
    const ir::Node* permute = maker(graph, std::get<ValueId>(operand));
    if (!is_permute(permute) || graph.type(permute->outputs[0]).shape.size() != rank) {
      return {};
    }
    permutes.push_back(permute);
  }
  return permutes;
}

Result<ValueId> permuted(GraphCopy& copy, const ir::Graph& from, const ir::Node& made, const std::vector<int64_t>& dims,
                         const std::string& name) {
  const size_t rank = from.type(made.outputs[0]).shape.size();
  NodeChain chain(copy, name, made.location);
  std::vector<ir::Operand> operands;
  for (const ir::Operand& operand : made.operands) {
    if (!ir::is_tensor(operand) || from.type(std::get<ValueId>(operand)).shape.empty()) {
      operands.push_back(ir::is_tensor(operand) ? ir::Operand{copy.mapped(std::get<ValueId>(operand))} : operand);
      continue;
    }
    const std::string suffix = "_" + from.value(std::get<ValueId>(operand)).name;
    ValueId value = copy.mapped(std::get<ValueId>(operand));
    std::vector<int64_t> shape = from.type(std::get<ValueId>(operand)).shape;
    if (shape.size() < rank) {
      shape.insert(shape.begin(), rank - shape.size(), 1);
      value = chain.add(ir::Op::kReshape, {value}, suffix, {{"shape", shape}});
    }
    operands.emplace_back(chain.add(ir::Op::kPermute, {value}, suffix + "_permuted", {{"dims", dims}}));
  }
  const ValueId result = chain.add(made.op, std::move(operands), "", made.attributes);
  STITCH_TRY(chain.result());
  return result;
}

}  // namespace stitch::plan
