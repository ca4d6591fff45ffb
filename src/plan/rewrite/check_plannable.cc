// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/op.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<void> check_plannable(const ir::Graph& graph) {
  std::string missing;
  std::string location;
  for (const ir::Node& node : graph.nodes) {
    if (node.op == ir::Op::kOpaque) {
      missing += (missing.empty() ? "" : ", ") + ir::string_attribute(node, "target");
      location = location.empty() ? node.location : location;
    }
  }
  if (!missing.empty()) {
    return failure(ErrorCode::kUnsupportedOperator, "no kernel exists for " + missing, location,
                   "write this part of the model with supported operators");
  }
  // An empty tensor that nothing needs (a part joined to others) does no harm.
  STITCH_ASSIGN(const ir::Graph alive, remove_dead_code(graph));
  for (const ir::Value& value : alive.values) {
    if (value.type.element_count() == 0) {
      return failure(
          ErrorCode::kProgramInvalid, value.name + " has no elements; programs with empty tensors are not taken",
          value.producer.is_valid() ? alive.node(value.producer).location : "", "use extents of at least one");
    }
  }
  return {};
}

}  // namespace stitch::plan
