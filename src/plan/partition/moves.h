// SPDX-License-Identifier: Apache-2.0
// Which steps may run at another place of a plan's order.
#pragma once

#include <vector>

#include "plan/partition/partition.h"
#include "plan/partition/states.h"

namespace stitch::plan {

bool makes(const PlacedGroup& placed, ir::ValueId value);
bool reads_from(const PlacedGroup& reader, const PlacedGroup& maker);

// Whether step `from` may run at the place of `to` instead: nothing between needs what it makes or makes what it needs,
// the memory of states included.
bool can_move(const std::vector<PlacedGroup>& groups, const std::vector<StatePair>& states, size_t from, size_t to);

// Whether the old values of states that the step overwrites are read by the threads that do.
bool keeps_states(const PlacedGroup& placed, const std::vector<StatePair>& states);

}  // namespace stitch::plan
