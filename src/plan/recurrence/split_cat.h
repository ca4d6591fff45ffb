// SPDX-License-Identifier: Apache-2.0
// A cell may be written as act(linear(cat(x, state))), one weight for both. Where such a cell repeats, linear(cat(x,
// state)) becomes linear(x) + linear(state), each with its columns of the weight: then the chain is found, and the
// input's share is computed for all steps at once.
#pragma once

#include "base/error/result.h"
#include "ir/graph/graph.h"

namespace stitch::plan {

// The graph itself where no such cell starts from what another with the same weight ended with.
Result<ir::Graph> split_cats_of_states(const ir::Graph& graph);

}  // namespace stitch::plan
