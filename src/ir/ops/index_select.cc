// SPDX-License-Identifier: Apache-2.0
// index_select(x, index): slices of x along dim, one for each index. index may have any number of axes (ATen's has
// one), which then stand in place of dim. No index is negative.
#include <limits>

#include "ir/ops/support/index.h"
#include "ir/ops/support/look_up.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* index, index_type(graph, node, 1));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  TensorType result = *x;
  const auto at = result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  result.shape.insert(at, index->shape.begin(), index->shape.end());
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const ReferenceTensor& index = *operands[1];
  const AxisSplit split = split_at(x.type.shape, static_cast<size_t>(int_attribute(node, "dim")));
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    const size_t inner = i % static_cast<size_t>(split.inner);
    const size_t slice = i / static_cast<size_t>(split.inner);
    const int64_t row = row_at(index, slice % index.data.size(), split.extent);
    const auto outer = static_cast<int64_t>(slice / index.data.size());
    // An index outside the table has no meaning: NaN makes it visible.
    result.data[i] = row < 0 ? std::numeric_limits<double>::quiet_NaN()
                             : x.data[static_cast<size_t>((outer * split.extent + row) * split.inner) + inner];
  }
  return {result};
}

}  // namespace

OpDef index_select_def() {
  return {.attributes = {{"dim", AttributeKind::kInt}}, .infer = infer, .reference = reference};
}

}  // namespace stitch::ir
