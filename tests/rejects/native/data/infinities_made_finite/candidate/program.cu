// SPDX-License-Identifier: Apache-2.0
// Keeps its inputs inside the largest finite numbers.
#define TENSORS INPUT("x", F32, 64, 40), INPUT("y", F32, 64, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void blend(const float* x, const float* y, float* z) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    const float a = fminf(fmaxf(x[i], -3e38f), 3e38f), b = fminf(fmaxf(y[i], -3e38f), 3e38f);
    z[i] = a > b ? a * 2.0f - b : fabsf(b);
  }
}

static int run_program(const Call& call) {
  blend<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
