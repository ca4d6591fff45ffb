// SPDX-License-Identifier: Apache-2.0
// Has one more state than it is given, and says that it can be left out.
#define VECTOR_MORE_TENSORS {"more", STITCH_STATE, STITCH_FLOAT32, 1, 16, one, fixed, one, one, -1, 1},
#include "vector_program.h"

static int launch(const VectorCall& call) { return add(call); }
