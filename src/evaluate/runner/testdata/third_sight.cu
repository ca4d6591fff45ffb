// SPDX-License-Identifier: Apache-2.0
// Is wrong about contents that it is given for the third time, but for those of its first calls: a timing that gives
// the same contents to two timed calls finds it wrong.
#include "contents_table.h"

static int launch(const VectorCall& call) {
  const SeenContents& contents = seen(call);
  const int failed = add(call);
  const bool is_known = contents.first_call <= 3;  // untimed calls on the draws, before any that is timed
  return contents.times > 2 && !is_known ? cudaMemset(call.sum, 0x40, 4 * sizeof(float)) : failed;
}
