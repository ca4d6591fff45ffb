// SPDX-License-Identifier: Apache-2.0
// The sum of each window over a divisor: divisor_override unless it is 0, else the window's elements, padding included
// or not. What a last window of ceil_mode reaches beyond the padding never counts.
#include <algorithm>

#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

Result<Window> window_of(const Node& node) {
  STITCH_ASSIGN(const auto kernel, pair_attribute(node, "kernel_size", 1));
  STITCH_ASSIGN(const auto stride, pair_attribute(node, "stride", 1));
  STITCH_ASSIGN(const auto padding, pair_attribute(node, "padding", 0));
  const bool ceil_mode = bool_attribute(node, "ceil_mode");
  return Window{WindowAxis{kernel[0], stride[0], padding[0], 1, ceil_mode},
                WindowAxis{kernel[1], stride[1], padding[1], 1, ceil_mode}};
}

// One axis of one window: the elements inside the input, and how many there are with padding.
struct Span {
  int64_t begin, end, padded;
};

Span span_of(const WindowAxis& axis, int64_t position, int64_t extent) {
  const int64_t begin = position * axis.stride - axis.padding;
  const int64_t end = std::min(begin + axis.kernel, extent + axis.padding);
  return {std::max<int64_t>(begin, 0), std::min(end, extent), end - begin};
}

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const Window window, window_of(node));
  STITCH_TRY(require(int_attribute(node, "divisor_override") >= 0, "divisor_override is negative"));
  return infer_pool(graph, node, window);
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const std::vector<int64_t>& shape = operands[0]->type.shape;
  const int64_t width = shape.back();
  const Window window = window_of(node).value();
  const int64_t divisor_override = int_attribute(node, "divisor_override");
  const bool include_padding = bool_attribute(node, "count_include_pad");
  return reference_pool(graph, node, *operands[0], [&](const double* plane, int64_t out_row, int64_t out_column) {
    const Span rows = span_of(window[0], out_row, shape[shape.size() - 2]);
    const Span columns = span_of(window[1], out_column, width);
    double sum = 0.0;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        sum += plane[row * width + column];
      }
    }
    const int64_t counted =
        include_padding ? rows.padded * columns.padded : (rows.end - rows.begin) * (columns.end - columns.begin);
    return sum / static_cast<double>(divisor_override != 0 ? divisor_override : counted);
  });
}

}  // namespace

OpDef avg_pool2d_def() {
  return {.attributes = {{"kernel_size", AttributeKind::kInts},
                         {"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"ceil_mode", AttributeKind::kBool},
                         {"count_include_pad", AttributeKind::kBool},
                         {"divisor_override", AttributeKind::kInt}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
