// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/cat_in_place.h"

#include "ir/graph/op.h"

namespace stitch::kernels {
namespace {

// What `part` is a slice of, when it lies there at `offset` along `dim` as well.
std::optional<ir::ValueId> kept_from(const Group& group, ir::ValueId part, int64_t dim, int64_t offset) {
  if (!group.computes(part)) {
    return std::nullopt;
  }
  const ir::Node& node = group.graph->node(group.graph->value(part).producer);
  const bool is_in_place = node.op == ir::Op::kSlice && ir::int_attribute(node, "dim") == dim &&
                           ir::int_attribute(node, "start") == offset && ir::int_attribute(node, "step") == 1;
  return is_in_place ? std::optional(ir::tensor_operand(node, 0)) : std::nullopt;
}

int64_t all_uses(const Group& group, ir::ValueId value) {
  int64_t count = 0;
  for (const ir::NodeId id : group.nodes) {
    count += uses(group.graph->node(id), value);
  }
  return count;
}

}  // namespace

std::optional<CatInPlace> cat_in_place(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  if (node.op != ir::Op::kCat || group.results != std::vector<ir::ValueId>{node.outputs[0]}) {
    return std::nullopt;
  }
  CatInPlace found;
  found.to = node.outputs[0];
  const int64_t dim = ir::int_attribute(node, "dim");
  int64_t offset = 0;
  int64_t kept = 0;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const ir::ValueId part = ir::tensor_operand(node, i);
    const std::optional<ir::ValueId> from = kept_from(group, part, dim, offset);
    const bool is_kept = from && group.reads(*from) && graph.type(*from) == graph.type(found.to) &&
                         (kept == 0 || *from == found.from) && uses(node, part) == 1;
    if (is_kept) {
      found.from = *from;
      found.kept_bytes += graph.type(part).bytes();
      ++kept;
    }
    found.is_kept.push_back(is_kept);
    offset += graph.type(part).shape[static_cast<size_t>(dim)];
  }
  if (kept == 0 || all_uses(group, found.from) != kept) {
    return std::nullopt;
  }
  return found;
}

}  // namespace stitch::kernels
