// SPDX-License-Identifier: Apache-2.0
// Convolutions in front of a trained norm may take its mean and variance while they store what it reads.
#pragma once

#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

// Joins a reduction to the convolution whose result it reads, which other steps read too, where one kernel can compute
// both and that is expected to be faster than what join_rewrites() would make of the two and those; with
// `options.like`, or with `kept`, where that plan has. In a plan by libraries none is joined.
void join_moments(const ir::Graph& graph, const PlanOptions& options, const Plan* kept, const Fences& fences,
                  std::vector<PlacedGroup>& groups);

}  // namespace stitch::plan
