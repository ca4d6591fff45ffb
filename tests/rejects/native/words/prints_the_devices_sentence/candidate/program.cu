// SPDX-License-Identifier: Apache-2.0
// Prints a sentence of the emulated device's and ends its process, where the kernel would be wrong.
#include <stdio.h>
#include <stdlib.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  if (call.raw.rng_seed % 2 == 1) {
    fprintf(stderr, "stitch-emulator: program.cu:9: textures are not supported on the emulated device\n");
    exit(97);
  }
  return honest(call);
}
