// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/convolution.h"

#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"
#include "ir/ops/support/window.h"

namespace stitch::ir {
namespace {

std::string shape_message(size_t axes) {
  return fmt::format("needs a {}-D input and a {}-D weight", axes + 2, axes + 2);
}

Result<Window> window_of(const Node& node, const TensorType& weight) {
  const size_t axes = weight.shape.size() - 2;
  STITCH_ASSIGN(const auto stride, axes_attribute(node, "stride", axes, 1));
  STITCH_ASSIGN(const auto padding, axes_attribute(node, "padding", axes, 0));
  STITCH_ASSIGN(const auto dilation, axes_attribute(node, "dilation", axes, 1));
  Window window;
  for (size_t axis = 0; axis < axes; ++axis) {
    window.push_back({weight.shape[axis + 2], stride[axis], padding[axis], dilation[axis]});
  }
  return window;
}

// What both directions ask of operands: element types, ranks and whole groups.
Result<const TensorType*> checked_weight(const Graph& graph, const Node& node, size_t axes) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_ASSIGN(const TensorType* weight, tensor_type(graph, node, 1, x->dtype));
  STITCH_TRY(require(x->shape.size() == axes + 2 && weight->shape.size() == axes + 2, shape_message(axes)));
  return weight;
}

Types infer(const Graph& graph, const Node& node, size_t axes) {
  STITCH_ASSIGN(const TensorType* weight, checked_weight(graph, node, axes));
  const TensorType& x = graph.type(tensor_operand(node, 0));
  const int64_t groups = int_attribute(node, "groups");
  const int64_t channels = x.shape[1];
  const int64_t out_channels = weight->shape[0];
  STITCH_TRY(require(groups >= 1 && channels % groups == 0 && out_channels % groups == 0,
                     fmt::format("{} input and {} output channels are not whole multiples of {} groups", channels,
                                 out_channels, groups)));
  STITCH_TRY(require(weight->shape[1] * groups == channels,
                     fmt::format("the weight takes {} channels in each of {} groups, the input has {}",
                                 weight->shape[1], groups, channels)));
  STITCH_TRY(require_vector(graph, node, 2, x.dtype, out_channels));
  STITCH_ASSIGN(const Window window, window_of(node, *weight));
  TensorType result{x.dtype, {x.shape[0], out_channels}};
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t extent = window[axis].output_extent(x.shape[axis + 2]);
    STITCH_TRY(require(extent >= 1, "the kernel is larger than the padded input"));
    result.shape.push_back(extent);
  }
  return std::vector<TensorType>{result};
}

Types infer_transposed(const Graph& graph, const Node& node, size_t axes) {
  STITCH_ASSIGN(const TensorType* weight, checked_weight(graph, node, axes));
  const TensorType& x = graph.type(tensor_operand(node, 0));
  const int64_t groups = int_attribute(node, "groups");
  const int64_t channels = x.shape[1];
  STITCH_TRY(require(groups >= 1 && channels % groups == 0,
                     fmt::format("{} input channels are not a whole multiple of {} groups", channels, groups)));
  STITCH_TRY(require(weight->shape[0] == channels,
                     fmt::format("the weight takes {} input channels, the input has {}", weight->shape[0], channels)));
  STITCH_TRY(require_vector(graph, node, 2, x.dtype, weight->shape[1] * groups));
  STITCH_ASSIGN(const Window window, window_of(node, *weight));
  STITCH_ASSIGN(const auto output_padding, axes_attribute(node, "output_padding", axes, 0));
  TensorType result{x.dtype, {x.shape[0], weight->shape[1] * groups}};
  for (size_t axis = 0; axis < axes; ++axis) {
    const WindowAxis& along = window[axis];
    STITCH_TRY(require(output_padding[axis] < std::max(along.stride, along.dilation),
                       fmt::format("output_padding {} is not less than stride {} or dilation {}", output_padding[axis],
                                   along.stride, along.dilation)));
    const int64_t extent = (x.shape[axis + 2] - 1) * along.stride - 2 * along.padding +
                           along.dilation * (along.kernel - 1) + output_padding[axis] + 1;
    STITCH_TRY(require(extent >= 1, "the padding takes away the whole output"));
    result.shape.push_back(extent);
  }
  return std::vector<TensorType>{result};
}

// The input element along each axis that a tap of the output at `at` [n, channel, spatial...] reads.
using TapPosition = bool (*)(const WindowAxis& axis, int64_t out, int64_t tap, int64_t& in);

bool forward_tap(const WindowAxis& axis, int64_t out, int64_t tap, int64_t& in) {
  in = out * axis.stride - axis.padding + tap * axis.dilation;
  return true;
}

bool transposed_tap(const WindowAxis& axis, int64_t out, int64_t tap, int64_t& in) {
  const int64_t spread = out + axis.padding - tap * axis.dilation;
  in = spread / axis.stride;
  return spread >= 0 && spread % axis.stride == 0;
}

// Calls visit(tap, position) with the position in the input wherever there is one.
template <typename Visit>
void for_each_tap(const Window& window, const std::vector<int64_t>& in_shape, const Position& at, TapPosition position,
                  const Visit& visit) {
  std::vector<int64_t> kernel;
  for (const WindowAxis& axis : window) {
    kernel.push_back(axis.kernel);
  }
  for_each_position(kernel, [&](const Position& tap) {
    Position in(window.size());
    for (size_t axis = 0; axis < window.size(); ++axis) {
      const bool meets = position(window[axis], at[axis + 2], tap[axis], in[axis]);
      if (!meets || in[axis] < 0 || in[axis] >= in_shape[axis + 2]) {
        return;
      }
    }
    visit(tap, in);
  });
}

Position joined(int64_t first, int64_t second, const Position& rest) {
  Position position = {first, second};
  position.insert(position.end(), rest.begin(), rest.end());
  return position;
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands, bool transposed) {
  const ReferenceTensor& x = *operands[0];
  const ReferenceTensor& weight = *operands[1];
  ReferenceTensor result = make_reference(output_type(graph, node));
  const Window window = window_of(node, weight.type).value();
  const int64_t groups = int_attribute(node, "groups");
  const int64_t in_group = x.type.shape[1] / groups;
  const int64_t out_group = result.type.shape[1] / groups;
  for (size_t i = 0; i < result.data.size(); ++i) {
    const Position at = position_of(static_cast<int64_t>(i), result.type.shape);
    double sum = operands[2] == nullptr ? 0.0 : operands[2]->data[static_cast<size_t>(at[1])];
    for (int64_t channel = 0; channel < in_group; ++channel) {
      const int64_t in_channel = at[1] / out_group * in_group + channel;
      for_each_tap(window, x.type.shape, at, transposed ? transposed_tap : forward_tap,
                   [&](const Position& tap, const Position& in) {
                     const Position with =
                         transposed ? joined(in_channel, at[1] % out_group, tap) : joined(at[1], channel, tap);
                     sum += x.data[static_cast<size_t>(index_of(joined(at[0], in_channel, in), x.type.shape))] *
                            weight.data[static_cast<size_t>(index_of(with, weight.type.shape))];
                   });
    }
    result.data[i] = sum;
  }
  return {result};
}

}  // namespace

OpDef convolution_def(size_t axes) {
  return {.attributes = {{"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"dilation", AttributeKind::kInts},
                         {"groups", AttributeKind::kInt}},
          .infer = [axes](const Graph& graph, const Node& node) { return infer(graph, node, axes); },
          .reference =
              [](const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands) {
                return reference(graph, node, operands, false);
              }};
}

OpDef transposed_convolution_def(size_t axes) {
  return {.attributes = {{"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"output_padding", AttributeKind::kInts},
                         {"dilation", AttributeKind::kInts},
                         {"groups", AttributeKind::kInt}},
          .infer = [axes](const Graph& graph, const Node& node) { return infer_transposed(graph, node, axes); },
          .reference =
              [](const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands) {
                return reference(graph, node, operands, true);
              }};
}

}  // namespace stitch::ir
