// SPDX-License-Identifier: Apache-2.0
// In-place groups: the result equals the operand it starts from except at some positions. Where both share memory, only
// those positions are written.
#pragma once

#include "kernels/group/group.h"

namespace stitch::kernels {

struct InPlace {
  ir::ValueId from;  // in memory
  ir::ValueId to;    // the group's only result
};

// Whether the program may hand over the same memory for both: the new value of a state, and its old one.
bool is_update_of_state(const ir::Graph& graph, const InPlace& in_place);
// The number of the node's operands that are `value`.
int64_t uses(const ir::Node& node, ir::ValueId value);

}  // namespace stitch::kernels
