// SPDX-License-Identifier: Apache-2.0
// layer_norm(x, weight or none, bias or none): normalised over the trailing axes normalized_shape, by the biased
// variance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  const std::vector<int64_t>& normalized = ints_attribute(node, "normalized_shape");
  const bool is_suffix = !normalized.empty() && normalized.size() <= x->shape.size() &&
                         std::equal(normalized.rbegin(), normalized.rend(), x->shape.rbegin());
  STITCH_TRY(require(is_suffix, fmt::format("normalized_shape {} is not the end of shape {}", to_string(normalized),
                                            to_string(x->shape))));
  for (size_t i = 1; i <= 2; ++i) {
    STITCH_ASSIGN(const TensorType* scale, optional_tensor_type(graph, node, i));
    STITCH_TRY(require(scale == nullptr || *scale == (TensorType{x->dtype, normalized}),
                       fmt::format("operand {} is not of the input's type and normalized_shape", i)));
  }
  return std::vector<TensorType>{*x};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  ReferenceTensor y = make_reference(output_type(graph, node));
  const auto columns =
      static_cast<size_t>(TensorType{x.type.dtype, ints_attribute(node, "normalized_shape")}.element_count());
  const double count = static_cast<double>(columns);
  for (size_t begin = 0; begin < x.data.size(); begin += columns) {
    double mean = 0.0;
    for (size_t i = 0; i < columns; ++i) {
      mean += x.data[begin + i] / count;
    }
    double variance = 0.0;
    for (size_t i = 0; i < columns; ++i) {
      variance += (x.data[begin + i] - mean) * (x.data[begin + i] - mean) / count;
    }
    for (size_t i = 0; i < columns; ++i) {
      const double weight = operands[1] == nullptr ? 1.0 : operands[1]->data[i];
      const double bias = operands[2] == nullptr ? 0.0 : operands[2]->data[i];
      y.data[begin + i] =
          (x.data[begin + i] - mean) / std::sqrt(variance + double_attribute(node, "eps")) * weight + bias;
    }
  }
  return {y};
}

}  // namespace

OpDef layer_norm_def() {
  return {.attributes = {{"normalized_shape", AttributeKind::kInts}, {"eps", AttributeKind::kDouble}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
