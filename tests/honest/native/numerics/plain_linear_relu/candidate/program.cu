// SPDX-License-Identifier: Apache-2.0
// One thread an output element, one sequential accumulator.
#include "linear_relu.h"

static int run_program(const Call& call) { return honest(call); }
