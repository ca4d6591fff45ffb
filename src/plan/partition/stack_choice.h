// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other as one step, or as a step each.
#pragma once

#include <vector>

#include "plan/partition/partition.h"

namespace stitch::plan {

// partition_with_states() with layers joined to stacks, but where clusters keep the weights of every layer on chip and
// all steps together are then expected to take less. With `options.like`, or with `kept`, as that plan has it; where
// libraries are wanted, joined.
Result<std::vector<PlacedGroup>> partition_with_stacks(ir::Graph& graph, const PlanOptions& options, const Plan* kept);

}  // namespace stitch::plan
