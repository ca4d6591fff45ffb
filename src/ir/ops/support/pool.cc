// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pool.h"

#include <fmt/format.h>

#include "ir/ops/support/index.h"

namespace stitch::ir {

Types infer_pool(const Graph& graph, const Node& node, const Window& window) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  const size_t rank = x->shape.size();
  STITCH_TRY(require(rank == 3 || rank == 4, fmt::format("needs 3 or 4 axes, not {}", rank)));
  TensorType result = *x;
  for (size_t axis = 0; axis < 2; ++axis) {
    STITCH_TRY(require(
        2 * window[axis].padding <= window[axis].kernel,
        fmt::format("padding {} is more than half of kernel extent {}", window[axis].padding, window[axis].kernel)));
    int64_t& extent = result.shape[rank - 2 + axis];
    extent = window[axis].output_extent(extent);
    STITCH_TRY(require(extent >= 1, "the window is larger than the padded input"));
  }
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference_pool(
    const Graph& graph, const Node& node, const ReferenceTensor& operand,
    const std::function<double(const double* plane, int64_t out_row, int64_t out_column)>& reduce) {
  const size_t rank = operand.type.shape.size();
  const int64_t plane_elements = operand.type.shape[rank - 2] * operand.type.shape[rank - 1];
  ReferenceTensor result = make_reference(output_type(graph, node));
  const int64_t out_height = result.type.shape[rank - 2];
  const int64_t out_width = result.type.shape[rank - 1];
  for (size_t i = 0; i < result.data.size(); ++i) {
    const auto flat = static_cast<int64_t>(i);
    const double* plane = operand.data.data() + flat / (out_height * out_width) * plane_elements;
    result.data[i] = reduce(plane, flat / out_width % out_height, flat % out_width);
  }
  return {result};
}

}  // namespace stitch::ir
