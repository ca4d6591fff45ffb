// SPDX-License-Identifier: Apache-2.0
// Pointwise work over all elements that a reduction was made of joins the reduction's step, behind it and before it:
// they are then read once.
#pragma once

#include "plan/partition/drafts.h"

namespace stitch::plan {

// Moves into reductions what other drafts compute for them alone, and merges pointwise drafts into the reductions whose
// results they read, where those can keep their elements. Nothing of `alone` is touched, and no draft gets more than
// `max_nodes`. For when every other reader has been served: a chain that moved here could have been computed while
// another skeleton loads.
void absorb_epilogues(Drafts& drafts, const std::set<ir::NodeId>& alone, size_t max_nodes);

}  // namespace stitch::plan
