// SPDX-License-Identifier: Apache-2.0
// Asks for a workspace of a terabyte: less than this runner's limit, and more than the machine has.
#define VECTOR_WORKSPACE_BYTES (uint64_t{1} << 40)
#include "vector_program.h"

static int launch(const VectorCall& call) { return add(call); }
