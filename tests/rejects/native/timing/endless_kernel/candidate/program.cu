// SPDX-License-Identifier: Apache-2.0
// Spins without end on the device.
#include "linear_relu.h"

__global__ void spin(volatile float* y) {
  while (true) {
    y[0] = y[0];
  }
}

static int run_program(const Call& call) {
  spin<<<1, 1, 0, call.stream()>>>(call.output(0));
  return honest(call);
}
