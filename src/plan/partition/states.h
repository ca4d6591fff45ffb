// SPDX-License-Identifier: Apache-2.0
// New values of states may be written over the old ones (states_out may be states_in). Where a step would still read
// the old value then, the new one is made aside and copied by a step of its own at the end.
#pragma once

#include "plan/partition/partition.h"

namespace stitch::plan {

struct StatePair {
  ir::ValueId before;
  ir::ValueId after;
};
// Of every state that the program changes.
std::vector<StatePair> state_pairs(const ir::Graph& graph);

// partition(), with copies added to `graph` where states need them, as code that somebody wrote does wherever it writes
// a state that it reads: it is not known in which order.
Result<std::vector<PlacedGroup>> partition_with_states(ir::Graph& graph, const std::vector<Boundary>& boundaries,
                                                       Stacks stacks = Stacks::kJoined);

// A graph of a plan without those copies: cut anew it may need others.
Result<ir::Graph> without_state_copies(ir::Graph graph);

}  // namespace stitch::plan
