// SPDX-License-Identifier: Apache-2.0
// gather(x, index): the element of x at the same place, but along dim at index. index has the axes of x, none longer
// but dim. No index is negative.
#include <fmt/format.h>

#include <limits>

#include "ir/ops/support/index.h"
#include "ir/ops/support/look_up.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* index, index_type(graph, node, 1));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  bool fits = index->shape.size() == x->shape.size();
  for (size_t i = 0; fits && i < x->shape.size(); ++i) {
    fits = i == axis || index->shape[i] <= x->shape[i];
  }
  STITCH_TRY(require(
      fits, fmt::format("indices of shape {} do not lie within {}", to_string(index->shape), to_string(x->shape))));
  return std::vector<TensorType>{{x->dtype, index->shape}};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const auto axis = static_cast<size_t>(int_attribute(node, "dim"));
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    Position position = position_of(static_cast<int64_t>(i), result.type.shape);
    position[axis] = row_at(*operands[1], i, x.type.shape[axis]);
    // An index outside the table has no meaning: NaN makes it visible.
    result.data[i] = position[axis] >= 0 ? x.data[static_cast<size_t>(index_of(position, x.type.shape))]
                                         : std::numeric_limits<double>::quiet_NaN();
  }
  return {result};
}

}  // namespace

OpDef gather_def() { return {.attributes = {{"dim", AttributeKind::kInt}}, .infer = infer, .reference = reference}; }

}  // namespace stitch::ir
