// SPDX-License-Identifier: Apache-2.0
// Takes a number for negative where it is below zero, which a negative zero is not.
#define TENSORS INPUT("x", F32, 64, 40), INPUT("y", F32, 64, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void turn(const float* x, const float* y, float* z) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    const float a = x[i], b = y[i];
    z[i] = (a < 0.0f ? -b : b) + (a != 0.0f ? a * 2.0f : b * 3.0f + 1.0f);
  }
}

static int run_program(const Call& call) {
  turn<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
