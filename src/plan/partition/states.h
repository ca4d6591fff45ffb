// SPDX-License-Identifier: Apache-2.0
// New values of states may be written over the old ones (states_out may be states_in). Where a step would still read
// the old value then, the new one is made aside and copied by a step of its own at the end.
#pragma once

#include "plan/partition/partition.h"

namespace stitch::plan {

// partition(), with copies added to `graph` where states need them.
Result<std::vector<PlacedGroup>> partition_with_states(ir::Graph& graph);

}  // namespace stitch::plan
