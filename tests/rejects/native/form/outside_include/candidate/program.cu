// SPDX-License-Identifier: Apache-2.0
// Includes a file that is not its own.
#include "../../../../../../../etc/hostname"
#include "linear_relu.h"

static int run_program(const Call& call) { return honest(call); }
