// SPDX-License-Identifier: Apache-2.0
// Reductions that have results of their own beside what leads back to every element: a batch norm that is trained, with
// its running statistics.
#pragma once

#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

// Joins pointwise steps to the reduction that they read, where one kernel can keep the elements meanwhile and is
// expected to be faster than the two that would be chosen else; with `options.like`, or with `kept`, where that plan
// has. In a plan by libraries none is joined.
void join_rewrites(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                   std::vector<PlacedGroup>& groups);

}  // namespace stitch::plan
