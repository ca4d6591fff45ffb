// SPDX-License-Identifier: Apache-2.0
// What operators with index operands share.
#pragma once

#include "ir/ops/support/checks.h"

namespace stitch::ir {

// Operand i as indices: int64 or int32.
Result<const TensorType*> index_type(const Graph& graph, const Node& node, size_t i);

// Element `index` of `indices` as a row of a table of `rows` rows; -1 where it is outside.
int64_t row_at(const ReferenceTensor& indices, size_t index, int64_t rows);

}  // namespace stitch::ir
