// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other become one step, with the products of their inputs.
#pragma once

#include "plan/boundaries/fences.h"
#include "plan/partition/drafts.h"

namespace stitch::plan {

// Adds `node`, which is in no draft yet, to the draft of the recurrent layer whose output its input is. True where that
// was done; not over a fence.
bool join_stack(Drafts& drafts, ir::NodeId node, const Fences& fences);

}  // namespace stitch::plan
