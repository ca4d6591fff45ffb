// SPDX-License-Identifier: Apache-2.0
// Whether a text may keep to two nodes at once: what oneOf forbids.
#pragma once

#include "grammar/schema/grammar.h"

namespace stitch::grammar {

// True in doubt.
bool may_overlap(const Grammar& grammar, NodeId left, NodeId right);

}  // namespace stitch::grammar
