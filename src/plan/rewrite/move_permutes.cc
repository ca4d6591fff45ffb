// SPDX-License-Identifier: Apache-2.0
// A tensor is stored in the order of the node that makes it. Pointwise work on permuted operands, seen by its only
// reader through a permutation, would read across memory to write what is read across again: in the reader's order both
// run along it.
#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/group/group.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

// The last axis that has more than one element, -1 for none.
int64_t innermost_axis(const std::vector<int64_t>& shape) {
  const auto found = std::find_if(shape.rbegin(), shape.rend(), [](int64_t extent) { return extent > 1; });
  return std::distance(found, shape.rend()) - 1;
}

const ir::Node* maker(const ir::Graph& graph, ValueId value) {
  const ir::NodeId producer = graph.value(value).producer;
  return producer.is_valid() ? &graph.node(producer) : nullptr;
}

bool is_permute(const ir::Node* node) { return node != nullptr && node->op == ir::Op::kPermute; }

// Whether neighbours of a permuted `value` along `axis` are neighbours before the permutation.
bool runs_along(const ir::Graph& graph, const ir::Node& permute, int64_t axis) {
  return ir::ints_attribute(permute, "dims")[static_cast<size_t>(axis)] ==
         innermost_axis(graph.type(ir::tensor_operand(permute, 0)).shape);
}

bool is_pointwise(const ir::Node& node) {
  return ir::find_op(node.op)->family == ir::OpFamily::kPointwise && !kernels::is_random(node) &&
         node.outputs.size() == 1;
}

// The permutations that the operands of `node` are seen through, but for those that are small beside the result, which
// stay in a cache in any order; empty where one of them is seen as it is.
std::vector<const ir::Node*> permutes_of_operands(const ir::Graph& graph, const ir::Node& node) {
  constexpr int64_t kTimes = 8;
  const int64_t made = graph.type(node.outputs[0]).element_count();
  std::vector<const ir::Node*> permutes;
  for (const ir::Operand& operand : node.operands) {
    if (!ir::is_tensor(operand) || graph.type(std::get<ValueId>(operand)).element_count() * kTimes <= made) {
      continue;
    }
    const ir::Node* permute = maker(graph, std::get<ValueId>(operand));
    if (!is_permute(permute)) {
      return {};
    }
    permutes.push_back(permute);
  }
  return permutes;
}

// Whether `permute` turns what `made` computes to the order in which its operands lie.
bool is_better_before(const ir::Graph& graph, const ir::Node& made, const ir::Node& permute) {
  const int64_t own = innermost_axis(graph.type(made.outputs[0]).shape);
  const int64_t wanted = innermost_axis(graph.type(permute.outputs[0]).shape);
  if (own < 0 || wanted < 0) {
    return false;
  }
  const int64_t read = ir::ints_attribute(permute, "dims")[static_cast<size_t>(wanted)];
  const std::vector<const ir::Node*> operands = permutes_of_operands(graph, made);
  return !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](const ir::Node* operand) {
    return !runs_along(graph, *operand, own) && runs_along(graph, *operand, read);
  });
}

// `made` in the order that `permute` shows it in, as a node of the new graph.
Result<ValueId> permuted(GraphCopy& copy, const ir::Graph& from, const ir::Node& made, const ir::Node& permute) {
  const size_t rank = from.type(made.outputs[0]).shape.size();
  NodeChain chain(copy, from.value(permute.outputs[0]).name, made.location);
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
    operands.emplace_back(
        chain.add(ir::Op::kPermute, {value}, suffix + "_permuted", {{"dims", ir::ints_attribute(permute, "dims")}}));
  }
  const ValueId result = chain.add(made.op, std::move(operands), "", made.attributes);
  STITCH_TRY(chain.result());
  return result;
}

}  // namespace

Result<ir::Graph> move_permutes(const ir::Graph& graph) {
  const UseCounts uses(graph);
  std::map<ValueId, const ir::Node*> moved;  // what is computed later, by its value
  for (const ir::Node& node : graph.nodes) {
    const ir::Node* made = is_permute(&node) ? maker(graph, ir::tensor_operand(node, 0)) : nullptr;
    if (made != nullptr && is_pointwise(*made) && uses.of(made->outputs[0]) == 1 &&
        is_better_before(graph, *made, node)) {
      moved[made->outputs[0]] = made;
    }
  }
  if (moved.empty()) {
    return graph;
  }
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.outputs.size() == 1 && moved.count(node.outputs[0]) > 0) {
      continue;
    }
    const auto found = is_permute(&node) ? moved.find(ir::tensor_operand(node, 0)) : moved.end();
    if (found == moved.end()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    STITCH_ASSIGN(const ValueId now, permuted(copy, graph, *found->second, node));
    copy.replace(node.outputs[0], now);
  }
  return simplify_identities(copy.finish());
}

}  // namespace stitch::plan
