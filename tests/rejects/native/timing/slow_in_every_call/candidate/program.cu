// SPDX-License-Identifier: Apache-2.0
// Takes in every call nearly as long as one call may take, to hold up its judge.
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  sleep(4);
  return honest(call);
}
