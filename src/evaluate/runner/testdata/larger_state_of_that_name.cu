// SPDX-License-Identifier: Apache-2.0
// Two states of one element become two of a thousand, one of which has the name of the old ones.
#define VECTOR_MORE_TENSORS                                                                 \
  {"others", STITCH_STATE, STITCH_FLOAT32, 1, 16, extents, fixed, extents, extents, -1, 0}, \
      {"calls", STITCH_STATE, STITCH_FLOAT32, 1, 16, extents, fixed, extents, extents, -1, 0},
#include "vector_program.h"

static int launch(const VectorCall& call) { return add(call); }
