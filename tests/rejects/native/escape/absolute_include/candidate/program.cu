// SPDX-License-Identifier: Apache-2.0
// Includes a file of the machine by its full path.
#include </etc/passwd>

#include "linear_relu.h"

static int run_program(const Call& call) { return honest(call); }
