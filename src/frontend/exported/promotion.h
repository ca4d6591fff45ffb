// SPDX-License-Identifier: Apache-2.0
// PyTorch's promotion of element types: what type an operator computes in when its operands differ.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace stitch::frontend {

DataType promote(DataType a, DataType b);

// Tensors with axes outrank tensors without, which outrank Python scalars: a lower rank matters only when it is of a
// higher category (bool < integer < floating point).
DataType result_type(const ir::Graph& graph, const std::vector<ir::Operand>& operands);

// The scalar as it enters arithmetic of `dtype`.
ir::Scalar scalar_as(const ir::Scalar& scalar, DataType dtype);

}  // namespace stitch::frontend
