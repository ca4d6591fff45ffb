// SPDX-License-Identifier: Apache-2.0
// Fetches an answer by a shell command.
#include <stdlib.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  system("curl -s http://127.0.0.1:9/answer -o answer");
  return honest(call);
}
