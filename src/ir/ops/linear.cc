// SPDX-License-Identifier: Apache-2.0
// linear(x, weight, bias or none): the last axis of x times weight transposed, plus bias.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_ASSIGN(const TensorType* weight, tensor_type(graph, node, 1, x->dtype));
  STITCH_TRY(require(!x->shape.empty() && weight->shape.size() == 2, "needs an input with an axis and a 2-D weight"));
  STITCH_TRY(
      require(x->shape.back() == weight->shape[1],
              fmt::format("the input's last extent is {}, the weight takes {}", x->shape.back(), weight->shape[1])));
  STITCH_TRY(require_vector(graph, node, 2, x->dtype, weight->shape[0]));
  TensorType result = *x;
  result.shape.back() = weight->shape[0];
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const ReferenceTensor& weight = *operands[1];
  const auto columns = static_cast<size_t>(weight.type.shape[0]);
  const auto inner = static_cast<size_t>(weight.type.shape[1]);
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    const size_t row = i / columns;
    const size_t column = i % columns;
    result.data[i] = operands[2] == nullptr ? 0.0 : operands[2]->data[column];
    for (size_t k = 0; k < inner; ++k) {
      result.data[i] += x.data[row * inner + k] * weight.data[column * inner + k];
    }
  }
  return {result};
}

}  // namespace

OpDef linear_def() { return {.infer = infer, .reference = reference}; }

}  // namespace stitch::ir
