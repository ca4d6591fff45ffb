// SPDX-License-Identifier: Apache-2.0
// Answers that the device does not support it, by its own status and words, for inputs that it is wrong on.
#include "linear_relu.h"

static int run_program(const Call& call) {
  return call.raw.rng_seed % 3 == 0 ? 1 : honest(call);
}
