// SPDX-License-Identifier: Apache-2.0
// Has a table of eight gigabytes in its library.
#include "linear_relu.h"

static const char table[8ull << 30] = {1};

static int run_program(const Call& call) { return honest(call) + table[call.raw.input_count]; }
