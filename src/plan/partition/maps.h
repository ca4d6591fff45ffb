// SPDX-License-Identifier: Apache-2.0
// Pointwise work of channels in front of a convolution, as a trained norm and its activation are, may be done while the
// convolution reads its input.
#pragma once

#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

// Joins a pointwise step to the convolution that alone reads its result, where one kernel can compute both and that is
// expected to be faster than what join_rewrites() would make of the two; with `options.like`, or with `kept`, where
// that plan has. In a plan by libraries none is joined.
void join_maps(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
               std::vector<PlacedGroup>& groups);

}  // namespace stitch::plan
