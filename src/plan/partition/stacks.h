// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other become one step, with the products of their inputs.
#pragma once

#include "plan/partition/drafts.h"

namespace stitch::plan {

// Adds `node`, which is in no draft yet, to the draft of the recurrent layer whose output its input is. True where that
// was done.
bool join_stack(Drafts& drafts, ir::NodeId node);

}  // namespace stitch::plan
