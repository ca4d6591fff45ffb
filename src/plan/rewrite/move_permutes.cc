// SPDX-License-Identifier: Apache-2.0
// A tensor is stored in the order of the node that makes it. Pointwise work on permuted operands, seen by its only
// reader through a permutation, would read across memory to write what is read across again: in the reader's order both
// run along it.
#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "plan/rewrite/permuted_work.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

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
    STITCH_ASSIGN(const ValueId now, permuted(copy, graph, *found->second, ir::ints_attribute(node, "dims"),
                                              graph.value(node.outputs[0]).name));
    copy.replace(node.outputs[0], now);
  }
  return simplify_identities(copy.finish());
}

}  // namespace stitch::plan
