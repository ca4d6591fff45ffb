// SPDX-License-Identifier: Apache-2.0
// Right, and its axis is a run-time one.
#define VECTOR_TAKES_SHORTER
#include "vector_program.h"

static int launch(const VectorCall& call) { return add(call); }
