// SPDX-License-Identifier: Apache-2.0
// A graph run by its operators' slow references, in double. For tests and for checking rewrites, not for speed.
#pragma once

#include <vector>

#include "ir/ops.h"

namespace stitch::ir {

// `inputs` in the order of graph.inputs, with their types; the answer in the order of graph.outputs.
// Fails when an input does not fit or the graph has an opaque node.
Result<std::vector<ReferenceTensor>> interpret(const Graph& graph, const std::vector<ReferenceTensor>& inputs);

}  // namespace stitch::ir
