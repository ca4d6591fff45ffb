// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<ir::Graph> share_common_nodes(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const ir::Node wanted = copy.mapped(node);
    const auto& known = copy.graph().nodes;
    const auto same = std::find_if(known.begin(), known.end(), [&](const ir::Node& other) {
      return other.op == wanted.op && other.operands == wanted.operands && other.attributes == wanted.attributes;
    });
    if (same == known.end()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      copy.replace(node.outputs[i], same->outputs[i]);
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
