// SPDX-License-Identifier: Apache-2.0
// Is an answer with prose around its code.
#include "linear_relu.h"

static int run_program(const Call& call) {
  Here is the kernel:
  return honest(call);
}
