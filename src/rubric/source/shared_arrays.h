// SPDX-License-Identifier: Apache-2.0
// Whether shared memory is used to share: whether a thread reads what another wrote there.
#pragma once

#include "rubric/facts/facts.h"
#include "rubric/source/functions.h"

namespace stitch::rubric {

// Counts the arrays that a function declares in shared memory, and tells in `facts.idle` of those that nobody reads,
// and of those where each thread has a slot of its own and touches no other: nothing is shared there. Whatever is not
// surely so counts as used: an array whose address is passed on, an index that the text does not settle.
void count_shared_arrays(const Function& function, SourceFacts& facts);

}  // namespace stitch::rubric
