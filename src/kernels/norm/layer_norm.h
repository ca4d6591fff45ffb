// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/norm/layer_norm.cuh: layer normalisation over the trailing axes.
#pragma once

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_layer_norm();

// Of a layer norm: rows, and the columns that are normalised together.
RowAxes layer_norm_axes(const ir::Graph& graph, const ir::Node& node);
// The normalised element, scaled and shifted as the operator says, then whatever was fused behind it: the results of
// the step's group, by row and column.
Result<LoweredFunctor> make_layer_norm_store(StepBuilder& step, const ir::Node& node, const RowAxes& axes);

}  // namespace stitch::kernels
