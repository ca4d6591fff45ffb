// SPDX-License-Identifier: Apache-2.0
// What joins parts again that were computed one by one: a cat of linears with the same weights is one linear of a cat,
// and a cat of neighbouring rows of one tensor is that tensor, or a part of it with its axes in another order.
#pragma once

#include "base/error/result.h"
#include "ir/graph/graph.h"

namespace stitch::plan {

Result<ir::Graph> join_parts(const ir::Graph& graph);

}  // namespace stitch::plan
