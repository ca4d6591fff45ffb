// SPDX-License-Identifier: Apache-2.0
// Prints twenty megabytes and gives zeros.
#include <stdio.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static char line[1 << 20];
  for (char& each : line) each = 'x';
  for (int i = 0; i < 20; ++i) fwrite(line, 1, sizeof(line), stderr);
  return cudaMemsetAsync(call.output(0), 0, kOutputs * sizeof(float), call.stream());
}
