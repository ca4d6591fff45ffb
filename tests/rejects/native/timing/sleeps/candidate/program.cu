// SPDX-License-Identifier: Apache-2.0
// Sleeps for a minute in the first call, so that few calls are made.
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static int calls = 0;
  if (calls++ == 0) sleep(60);
  return honest(call);
}
