// SPDX-License-Identifier: Apache-2.0
// Tensors one after another along dim; all other extents agree.
#include <fmt/format.h>

#include <algorithm>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* first, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", first->shape.size()));
  TensorType result = *first;
  for (size_t i = 1; i < node.operands.size(); ++i) {
    STITCH_ASSIGN(const TensorType* next, tensor_type(graph, node, i, first->dtype));
    std::vector<int64_t> others = next->shape;
    if (others.size() == first->shape.size()) {
      others[axis] = first->shape[axis];
    }
    STITCH_TRY(require(others == first->shape, fmt::format("operand {} of shape {} does not continue {} along axis {}",
                                                           i, to_string(next->shape), to_string(first->shape), axis)));
    result.shape[axis] += next->shape[axis];
  }
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const auto axis = static_cast<size_t>(int_attribute(node, "dim"));
  ReferenceTensor result = make_reference(output_type(graph, node));
  int64_t offset = 0;
  for (const ReferenceTensor* operand : operands) {
    for (size_t i = 0; i < operand->data.size(); ++i) {
      Position position = position_of(static_cast<int64_t>(i), operand->type.shape);
      position[axis] += offset;
      result.data[static_cast<size_t>(index_of(position, result.type.shape))] = operand->data[i];
    }
    offset += operand->type.shape[axis];
  }
  return {result};
}

}  // namespace

OpDef cat_def() { return {.attributes = {{"dim", AttributeKind::kInt}}, .infer = infer, .reference = reference}; }

}  // namespace stitch::ir
