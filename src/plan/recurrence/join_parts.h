// SPDX-License-Identifier: Apache-2.0
// Joins parts that were computed one by one: a cat of linears with the same weights becomes one linear of a cat, and a
// cat of neighbouring rows of one tensor becomes that tensor, or a part of it with its axes in another order.
#pragma once

#include "base/error/result.h"
#include "ir/graph/graph.h"

namespace stitch::plan {

Result<ir::Graph> join_parts(const ir::Graph& graph);

}  // namespace stitch::plan
