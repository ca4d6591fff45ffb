// SPDX-License-Identifier: Apache-2.0
// Needs flags that its own build script would give.
#include "linear_relu.h"

#ifndef FAST
#error "build me by my own Makefile"
#endif

static int run_program(const Call& call) { return honest(call); }
