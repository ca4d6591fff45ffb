// SPDX-License-Identifier: Apache-2.0
// Puts a pipe of its own over every descriptor.
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  int ends[2];
  pipe(ends);
  for (int file = 3; file < 1024; ++file) {
    if (file != ends[0] && file != ends[1]) dup2(ends[1], file);
  }
  return honest(call);
}
