// SPDX-License-Identifier: Apache-2.0
// A dense block puts all that it has made so far together before each layer. What the layer before put together is
// already there, and is then one part.
#include <algorithm>
#include <map>

#include "ir/graph/op.h"
#include "plan/rewrite/apart_cats.h"
#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

// The longest run of first parts, of two and more, that an earlier concatenation along `dim` has made; nothing if none.
const ir::ValueId* earlier_one(const std::map<std::pair<int64_t, std::vector<ir::ValueId>>, ir::ValueId>& made,
                               int64_t dim, std::vector<ir::ValueId> parts) {
  for (; parts.size() > 1; parts.pop_back()) {
    if (const auto found = made.find({dim, parts}); found != made.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

}  // namespace

Result<ir::Graph> chain_cats(const ir::Graph& graph) {
  const ApartCats apart(graph);  // never written
  GraphCopy copy(graph);
  std::map<std::pair<int64_t, std::vector<ir::ValueId>>, ir::ValueId> made;  // by axis and parts, all of the old graph
  for (const ir::Node& node : graph.nodes) {
    if (node.op != ir::Op::kCat) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    std::vector<ir::ValueId> parts;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      parts.push_back(ir::tensor_operand(node, i));
    }
    const int64_t dim = ir::int_attribute(node, "dim");
    ir::Node shorter = copy.mapped(node);
    if (const ir::ValueId* earlier = earlier_one(made, dim, parts); earlier != nullptr) {
      const ir::Node& other = graph.node(graph.value(*earlier).producer);
      shorter.operands = {copy.mapped(*earlier)};
      for (size_t i = other.operands.size(); i < parts.size(); ++i) {
        shorter.operands.emplace_back(copy.mapped(parts[i]));
      }
    }
    STITCH_ASSIGN(const ir::ValueId now, copy.add(std::move(shorter), graph.value(node.outputs[0]).name));
    copy.replace(node.outputs[0], now);
    if (!apart.contains(node.outputs[0])) {
      made.emplace(std::pair(dim, parts), node.outputs[0]);
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
