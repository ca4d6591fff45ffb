// SPDX-License-Identifier: Apache-2.0
// conv2d(x [n, c, h, w], weight [out, c / groups, kh, kw], bias [out] or none), zero padding.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"
#include "ir/ops/support/window.h"

namespace stitch::ir {
namespace {

Result<Window> window_of(const Node& node, const TensorType& weight) {
  STITCH_ASSIGN(const auto stride, pair_attribute(node, "stride", 1));
  STITCH_ASSIGN(const auto padding, pair_attribute(node, "padding", 0));
  STITCH_ASSIGN(const auto dilation, pair_attribute(node, "dilation", 1));
  return Window{WindowAxis{weight.shape[2], stride[0], padding[0], dilation[0]},
                WindowAxis{weight.shape[3], stride[1], padding[1], dilation[1]}};
}

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_ASSIGN(const TensorType* weight, tensor_type(graph, node, 1, x->dtype));
  STITCH_TRY(require(x->shape.size() == 4 && weight->shape.size() == 4, "needs a 4-D input and a 4-D weight"));
  const int64_t groups = int_attribute(node, "groups");
  const int64_t channels = x->shape[1];
  const int64_t out_channels = weight->shape[0];
  STITCH_TRY(require(groups >= 1 && channels % groups == 0 && out_channels % groups == 0,
                     fmt::format("{} input and {} output channels are not whole multiples of {} groups", channels,
                                 out_channels, groups)));
  STITCH_TRY(require(weight->shape[1] * groups == channels,
                     fmt::format("the weight takes {} channels in each of {} groups, the input has {}",
                                 weight->shape[1], groups, channels)));
  STITCH_TRY(require_vector(graph, node, 2, x->dtype, out_channels));
  STITCH_ASSIGN(const Window window, window_of(node, *weight));
  const int64_t height = window[0].output_extent(x->shape[2]);
  const int64_t width = window[1].output_extent(x->shape[3]);
  STITCH_TRY(require(height >= 1 && width >= 1, "the kernel is larger than the padded input"));
  return std::vector<TensorType>{{x->dtype, {x->shape[0], out_channels, height, width}}};
}

// The sum over one window of one group's channels; `at` is [n, out channel, out row, out column].
double window_sum(const ReferenceTensor& x, const ReferenceTensor& weight, const Window& window, const Position& at,
                  int64_t first_channel) {
  double sum = 0.0;
  for (int64_t channel = 0; channel < weight.type.shape[1]; ++channel) {
    for (int64_t i = 0; i < window[0].kernel; ++i) {
      for (int64_t j = 0; j < window[1].kernel; ++j) {
        const int64_t row = at[2] * window[0].stride - window[0].padding + i * window[0].dilation;
        const int64_t column = at[3] * window[1].stride - window[1].padding + j * window[1].dilation;
        if (row < 0 || row >= x.type.shape[2] || column < 0 || column >= x.type.shape[3]) {
          continue;
        }
        const auto from = index_of({at[0], first_channel + channel, row, column}, x.type.shape);
        const auto with = index_of({at[1], channel, i, j}, weight.type.shape);
        sum += x.data[static_cast<size_t>(from)] * weight.data[static_cast<size_t>(with)];
      }
    }
  }
  return sum;
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& weight = *operands[1];
  ReferenceTensor result = make_reference(output_type(graph, node));
  const Window window = window_of(node, weight.type).value();
  const int64_t group_outputs = weight.type.shape[0] / int_attribute(node, "groups");
  for (size_t i = 0; i < result.data.size(); ++i) {
    const Position at = position_of(static_cast<int64_t>(i), result.type.shape);
    const int64_t first_channel = at[1] / group_outputs * weight.type.shape[1];
    const double bias = operands[2] == nullptr ? 0.0 : operands[2]->data[static_cast<size_t>(at[1])];
    result.data[i] = bias + window_sum(*operands[0], weight, window, at, first_channel);
  }
  return {result};
}

}  // namespace

OpDef conv2d_def() {
  return {.attributes = {{"stride", AttributeKind::kInts},
                         {"padding", AttributeKind::kInts},
                         {"dilation", AttributeKind::kInts},
                         {"groups", AttributeKind::kInt}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
