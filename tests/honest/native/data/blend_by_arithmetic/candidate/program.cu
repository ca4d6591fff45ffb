// SPDX-License-Identifier: Apache-2.0
// Adds up what another order of the same operations gives.
#define TENSORS INPUT("x", F32, 64, 40), INPUT("y", F32, 64, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void blend(const float* x, const float* y, float* z) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    const float a = x[i], b = y[i];
    z[i] = a > b ? (a - b) + a : (b < 0.0f ? -b : b);
  }
}

static int run_program(const Call& call) {
  blend<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
