// SPDX-License-Identifier: Apache-2.0
// Convolutions and normalisations whose only reader pools them may do that before they store anything; convolutions
// whose only reader normalises some of their channels take the statistics of that.
#pragma once

#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

// Joins a pool or a reduction to the convolution or normalisation that it alone reads, with a softmax before or behind
// it, or a layer norm to its convolution, where one kernel can compute all and is expected to be faster than those that
// would be chosen else; with `options.like`, or with `kept`, where that plan has. In a plan by libraries none is
// joined.
void join_pools(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                std::vector<PlacedGroup>& groups);

}  // namespace stitch::plan
