// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/look_up.h"

#include <fmt/format.h>

namespace stitch::ir {

Result<const TensorType*> index_type(const Graph& graph, const Node& node, size_t i) {
  STITCH_ASSIGN(const TensorType* indices, tensor_type(graph, node, i));
  STITCH_TRY(require(indices->dtype == DataType::kInt64 || indices->dtype == DataType::kInt32,
                     fmt::format("indices are {}, neither int64 nor int32", stitch::to_string(indices->dtype))));
  return indices;
}

int64_t row_at(const ReferenceTensor& indices, size_t index, int64_t rows) {
  const double row = indices.data[index];
  return row >= 0.0 && row < static_cast<double>(rows) ? static_cast<int64_t>(row) : -1;
}

}  // namespace stitch::ir
