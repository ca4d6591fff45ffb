// SPDX-License-Identifier: Apache-2.0
// Groups whose result is what they start from, but for some places: they need not move the rest where both lie in the
// same memory.
#pragma once

#include "kernels/group/group.h"

namespace stitch::kernels {

struct InPlace {
  ir::ValueId from;  // in memory
  ir::ValueId to;    // the group's only result
};

// Whether the program may hand over the same memory for both: the new value of a state, and its old one.
bool is_update_of_state(const ir::Graph& graph, const InPlace& in_place);
// How often a node takes `value`.
int64_t uses(const ir::Node& node, ir::ValueId value);

}  // namespace stitch::kernels
