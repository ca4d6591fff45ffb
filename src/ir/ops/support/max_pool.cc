// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

Result<Window> window_of(const Node& node, size_t axes) {
  STITCH_ASSIGN(const auto kernel, axes_attribute(node, "kernel_size", axes, 1));
  STITCH_ASSIGN(const auto stride, axes_attribute(node, "stride", axes, 1));
  STITCH_ASSIGN(const auto padding, axes_attribute(node, "padding", axes, 0));
  STITCH_ASSIGN(const auto dilation, axes_attribute(node, "dilation", axes, 1));
  Window window;
  for (size_t axis = 0; axis < axes; ++axis) {
    window.push_back({kernel[axis], stride[axis], padding[axis], dilation[axis], bool_attribute(node, "ceil_mode")});
  }
  return window;
}

Pooled largest(const Window& window, const double* plane, const std::vector<int64_t>& extents, const Position& out) {
  std::vector<int64_t> kernel;
  for (const WindowAxis& axis : window) {
    kernel.push_back(axis.kernel);
  }
  Pooled best{-std::numeric_limits<double>::infinity(), -1};
  for_each_position(kernel, [&](const Position& tap) {
    Position in(window.size());
    for (size_t axis = 0; axis < window.size(); ++axis) {
      in[axis] = out[axis] * window[axis].stride - window[axis].padding + tap[axis] * window[axis].dilation;
      if (in[axis] < 0 || in[axis] >= extents[axis]) {
        return;
      }
    }
    const int64_t index = index_of(in, extents);
    if (best.index < 0 || std::isnan(plane[index]) || plane[index] > best.value) {
      best = {plane[index], index};
    }
  });
  return best;
}

}  // namespace

OpDef max_pool_def(size_t axes, bool indices) {
  return {.attributes = {{"kernel_size", AttributeKind::kInts},
                         {"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"dilation", AttributeKind::kInts},
                         {"ceil_mode", AttributeKind::kBool}},
          .infer = [axes, indices](const Graph& graph, const Node& node) -> Types {
            STITCH_ASSIGN(const Window window, window_of(node, axes));
            STITCH_ASSIGN(const TensorType type, pooled_type(graph, node, window));
            return with_indices(type, indices);
          },
          .reference =
              [axes](const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands) {
                const Window window = window_of(node, axes).value();
                return reference_pool(graph, node, *operands[0], axes,
                                      [&](const double* plane, const std::vector<int64_t>& extents,
                                          const Position& out) { return largest(window, plane, extents, out); });
              }};
}

}  // namespace stitch::ir
