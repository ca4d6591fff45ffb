// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

Result<Window> window_of(const Node& node, size_t axes) {
  STITCH_ASSIGN(const auto kernel, axes_attribute(node, "kernel_size", axes, 1));
  STITCH_ASSIGN(const auto stride, axes_attribute(node, "stride", axes, 1));
  STITCH_ASSIGN(const auto padding, axes_attribute(node, "padding", axes, 0));
  Window window;
  for (size_t axis = 0; axis < axes; ++axis) {
    window.push_back({kernel[axis], stride[axis], padding[axis], 1, bool_attribute(node, "ceil_mode")});
  }
  return window;
}

// What a window sums, and how many elements it has with the padding that it covers.
Pooled average(const Node& node, const Window& window, const double* plane, const std::vector<int64_t>& extents,
               const Position& out) {
  Position first;
  std::vector<int64_t> lengths;
  int64_t inside = 1;
  int64_t padded = 1;
  for (size_t axis = 0; axis < window.size(); ++axis) {
    const int64_t begin = out[axis] * window[axis].stride - window[axis].padding;
    const int64_t end = std::min(begin + window[axis].kernel, extents[axis] + window[axis].padding);
    first.push_back(std::max<int64_t>(begin, 0));
    lengths.push_back(std::max<int64_t>(0, std::min(end, extents[axis]) - first.back()));
    inside *= lengths.back();
    padded *= end - begin;
  }
  double sum = 0.0;
  for_each_position(lengths, [&](const Position& at) {
    Position in = first;
    for (size_t axis = 0; axis < in.size(); ++axis) {
      in[axis] += at[axis];
    }
    sum += plane[index_of(in, extents)];
  });
  const int64_t divisor = int_attribute(node, "divisor_override");
  const int64_t counted = bool_attribute(node, "count_include_pad") ? padded : inside;
  return {sum / static_cast<double>(divisor != 0 ? divisor : counted)};
}

}  // namespace

OpDef avg_pool_def(size_t axes) {
  return {.attributes = {{"kernel_size", AttributeKind::kInts},
                         {"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"ceil_mode", AttributeKind::kBool},
                         {"count_include_pad", AttributeKind::kBool},
                         {"divisor_override", AttributeKind::kInt}},
          .infer = [axes](const Graph& graph, const Node& node) -> Types {
            STITCH_ASSIGN(const Window window, window_of(node, axes));
            STITCH_TRY(require(int_attribute(node, "divisor_override") >= 0, "divisor_override is negative"));
            STITCH_ASSIGN(const TensorType type, pooled_type(graph, node, window));
            return std::vector<TensorType>{type};
          },
          .reference =
              [axes](const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands) {
                const Window window = window_of(node, axes).value();
                return reference_pool(graph, node, *operands[0], axes,
                                      [&](const double* plane, const std::vector<int64_t>& extents,
                                          const Position& out) { return average(node, window, plane, extents, out); });
              }};
}

}  // namespace stitch::ir
