// SPDX-License-Identifier: Apache-2.0
// The largest element of each window; padding never wins, NaN always does.
#include <cmath>
#include <limits>

#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

Result<Window> window_of(const Node& node) {
  STITCH_ASSIGN(const auto kernel, pair_attribute(node, "kernel_size", 1));
  STITCH_ASSIGN(const auto stride, pair_attribute(node, "stride", 1));
  STITCH_ASSIGN(const auto padding, pair_attribute(node, "padding", 0));
  STITCH_ASSIGN(const auto dilation, pair_attribute(node, "dilation", 1));
  const bool ceil_mode = bool_attribute(node, "ceil_mode");
  return Window{WindowAxis{kernel[0], stride[0], padding[0], dilation[0], ceil_mode},
                WindowAxis{kernel[1], stride[1], padding[1], dilation[1], ceil_mode}};
}

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const Window window, window_of(node));
  return infer_pool(graph, node, window);
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const std::vector<int64_t>& shape = operands[0]->type.shape;
  const int64_t height = shape[shape.size() - 2];
  const int64_t width = shape.back();
  const Window window = window_of(node).value();
  return reference_pool(graph, node, *operands[0], [&](const double* plane, int64_t out_row, int64_t out_column) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < window[0].kernel; ++i) {
      for (int64_t j = 0; j < window[1].kernel; ++j) {
        const int64_t row = out_row * window[0].stride - window[0].padding + i * window[0].dilation;
        const int64_t column = out_column * window[1].stride - window[1].padding + j * window[1].dilation;
        if (row >= 0 && row < height && column >= 0 && column < width) {
          const double element = plane[row * width + column];
          largest = std::isnan(element) || element > largest ? element : largest;
        }
      }
    }
    return largest;
  });
}

}  // namespace

OpDef max_pool2d_def() {
  return {.attributes = {{"kernel_size", AttributeKind::kInts},
                         {"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"dilation", AttributeKind::kInts},
                         {"ceil_mode", AttributeKind::kBool}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
