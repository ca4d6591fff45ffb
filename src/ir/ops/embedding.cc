// SPDX-License-Identifier: Apache-2.0
// embedding(weight [n, d], indices): row of the weight for each index. padding_idx matters to gradients only.
#include <fmt/format.h>

#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* weight, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* indices, tensor_type(graph, node, 1));
  STITCH_TRY(require(weight->shape.size() == 2, "needs a 2-D weight"));
  STITCH_TRY(require(indices->dtype == DataType::kInt64 || indices->dtype == DataType::kInt32,
                     fmt::format("indices are {}, neither int64 nor int32", stitch::to_string(indices->dtype))));
  TensorType result{weight->dtype, indices->shape};
  result.shape.push_back(weight->shape[1]);
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& weight = *operands[0];
  const auto columns = static_cast<size_t>(weight.type.shape[1]);
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    const double row = operands[1]->data[i / columns];
    const bool is_row = row >= 0.0 && row < static_cast<double>(weight.type.shape[0]);
    // An index outside the table has no meaning: NaN makes it visible.
    result.data[i] = is_row ? weight.data[static_cast<size_t>(row) * columns + i % columns]
                            : std::numeric_limits<double>::quiet_NaN();
  }
  return {result};
}

}  // namespace

OpDef embedding_def() {
  return {.attributes = {{"padding_idx", AttributeKind::kInt}}, .infer = infer, .reference = reference};
}

}  // namespace stitch::ir
