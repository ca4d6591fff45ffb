// SPDX-License-Identifier: Apache-2.0
// Functors of skeletons that need elements in their own type (int64_t stays int64_t) and one at a time.
#pragma once

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

// What kernels compute the elements of `value` in, as C++ text: "float", "int64_t", "bool".
std::string element_type(const ir::Graph& graph, ir::ValueId value);

// `element_type operator()(int64_t row, int64_t column) const`, the elements of `input` seen as rows and columns.
Result<LoweredFunctor> make_element_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes);

}  // namespace stitch::kernels
