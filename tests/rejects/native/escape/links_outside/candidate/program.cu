// SPDX-License-Identifier: Apache-2.0
// Has a link to a file of the machine among its sources.
#include "linear_relu.h"
#include "secret.inl"

static int run_program(const Call& call) { return honest(call); }
