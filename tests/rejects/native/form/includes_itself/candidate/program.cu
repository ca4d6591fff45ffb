// SPDX-License-Identifier: Apache-2.0
// Includes itself without end.
#include "again.cuh"
#include "linear_relu.h"

static int run_program(const Call& call) { return honest(call); }
