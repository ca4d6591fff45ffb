// SPDX-License-Identifier: Apache-2.0
// Matrix product of the last two axes, leading axes broadcast. Both operands have at least two axes: vectors have been
// reshaped by now.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

std::vector<int64_t> batch_axes(const std::vector<int64_t>& shape) { return {shape.begin(), shape.end() - 2}; }

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* a, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(a->dtype));
  STITCH_ASSIGN(const TensorType* b, tensor_type(graph, node, 1, a->dtype));
  STITCH_TRY(require(a->shape.size() >= 2 && b->shape.size() >= 2, "both operands need at least two axes"));
  const int64_t inner_a = a->shape.back();
  const int64_t inner_b = b->shape[b->shape.size() - 2];
  STITCH_TRY(require(inner_a == inner_b, fmt::format("the inner extents are {} and {}", inner_a, inner_b)));
  STITCH_ASSIGN(std::vector<int64_t> shape, broadcast_shape(batch_axes(a->shape), batch_axes(b->shape)));
  shape.push_back(a->shape[a->shape.size() - 2]);
  shape.push_back(b->shape.back());
  return std::vector<TensorType>{{a->dtype, shape}};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& a = *operands[0];
  const ReferenceTensor& b = *operands[1];
  ReferenceTensor result = make_reference(output_type(graph, node));
  const std::vector<int64_t> batch_shape = batch_axes(result.type.shape);
  const int64_t rows = a.type.shape[a.type.shape.size() - 2];
  const int64_t inner = a.type.shape.back();
  const int64_t columns = b.type.shape.back();
  for (size_t i = 0; i < result.data.size(); ++i) {
    const auto flat = static_cast<int64_t>(i);
    const Position batch = position_of(flat / (rows * columns), batch_shape);
    const int64_t row = flat / columns % rows;
    const int64_t column = flat % columns;
    const int64_t first_a = (broadcast_index(batch, batch_axes(a.type.shape)) * rows + row) * inner;
    const int64_t first_b = broadcast_index(batch, batch_axes(b.type.shape)) * inner * columns + column;
    for (int64_t k = 0; k < inner; ++k) {
      result.data[i] += a.data[static_cast<size_t>(first_a + k)] * b.data[static_cast<size_t>(first_b + k * columns)];
    }
  }
  return {result};
}

}  // namespace

OpDef matmul_def() { return {.infer = infer, .reference = reference}; }

}  // namespace stitch::ir
