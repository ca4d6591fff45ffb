// SPDX-License-Identifier: Apache-2.0
// Raises the signal of a fault itself, and goes on.
#include <signal.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static int calls = 0;
  if (++calls == 4) raise(SIGSEGV);
  return honest(call);
}
