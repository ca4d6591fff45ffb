// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<ir::Graph> remove_dead_code(const ir::Graph& graph) {
  std::set<ir::ValueId> wanted;
  for (const ir::GraphOutput& output : graph.outputs) {
    wanted.insert(output.value);
  }
  const auto is_live = [&](const ir::Node& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ir::ValueId output) { return wanted.count(output) > 0; });
  };
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (is_live(*node)) {
      for (const ir::Operand& operand : node->operands) {
        if (ir::is_tensor(operand)) {
          wanted.insert(std::get<ir::ValueId>(operand));
        }
      }
    }
  }
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (is_live(node)) {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
