// SPDX-License-Identifier: Apache-2.0
// Pointwise work over all elements that a reduction was made of joins the reduction's step, behind it and before it:
// they are then read once.
#pragma once

#include "plan/boundaries/fences.h"
#include "plan/partition/drafts.h"

namespace stitch::plan {

// What must not be moved.
struct EpilogueLimits {
  const std::set<ir::NodeId>& alone;  // roots of drafts that stay as they are
  const Fences& fences;               // over which nothing moves
  size_t max_nodes = 0;               // of a draft
};

// Moves into reductions what other drafts compute for them alone, and merges pointwise drafts into the reductions whose
// results they read, where those can keep their elements. For when every other reader has been served: a chain that
// moved here could have been computed while another skeleton loads.
void absorb_epilogues(Drafts& drafts, const EpilogueLimits& limits);

}  // namespace stitch::plan
