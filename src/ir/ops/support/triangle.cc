// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/triangle.h"

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require(x->shape.size() >= 2, "needs at least two axes"));
  return std::vector<TensorType>{*x};
}

}  // namespace

OpDef triangle(bool (*keeps)(int64_t distance)) {
  OpDef def;
  def.attributes = {{"diagonal", AttributeKind::kInt}};
  def.infer = infer;
  def.reference = [keeps](const Graph& graph, const Node& node, const auto& operands) {
    return moved_elements(graph, node, *operands[0],
                          [keeps](const Node& same_node, const Position& position, const std::vector<int64_t>& shape) {
                            const int64_t row = position[position.size() - 2];
                            const int64_t distance = position.back() - row - int_attribute(same_node, "diagonal");
                            return keeps(distance) ? index_of(position, shape) : kNoElement;
                          });
  };
  return def;
}

}  // namespace stitch::ir
