// SPDX-License-Identifier: Apache-2.0
// What the pooling operators share: a window over the last two axes of [c, h, w] or [n, c, h, w].
#pragma once

#include <functional>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/window.h"

namespace stitch::ir {

// The result's type under this window, or why there is none.
Types infer_pool(const Graph& graph, const Node& node, const Window& window);

// Calls `reduce(plane, out_row, out_column)` for each output element, where plane is the first element of one
// [h, w] plane of the operand.
std::vector<ReferenceTensor> reference_pool(
    const Graph& graph, const Node& node, const ReferenceTensor& operand,
    const std::function<double(const double* plane, int64_t out_row, int64_t out_column)>& reduce);

}  // namespace stitch::ir
