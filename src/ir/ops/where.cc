// SPDX-License-Identifier: Apache-2.0
// where(condition, a, b): a's element where the condition holds, else b's.
#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef where_def() {
  OpDef def;
  def.infer = [](const Graph& graph, const Node& node) -> Types {
    STITCH_TRY(tensor_type(graph, node, 0, DataType::kBool));
    STITCH_ASSIGN(const DataType dtype, common_element_type(graph, node, 1, 2));
    STITCH_ASSIGN(const std::vector<int64_t> shape, pointwise_shape(graph, node));
    return std::vector<TensorType>{{dtype, shape}};
  };
  def.reference = [](const Graph& graph, const Node& node, const auto& operands) {
    return pointwise_reference(graph, node, operands, [](const Node&, std::span<const double> elements) {
      return elements[0] != 0.0 ? elements[1] : elements[2];
    });
  };
  return def;
}

}  // namespace stitch::ir
