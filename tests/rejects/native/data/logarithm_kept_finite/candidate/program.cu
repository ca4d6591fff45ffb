// SPDX-License-Identifier: Apache-2.0
// Keeps what it takes the logarithm of above the least normal number.
#define TENSORS INPUT("x", F32, 64, 40), INPUT("y", F32, 64, 40), OUTPUT("0", F32, 64, 40), OUTPUT("1", F32, 64, 40)
#include "candidate.h"

__global__ void divide(const float* x, const float* y, float* quotient, float* logarithm) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    quotient[i] = x[i] / y[i];
    logarithm[i] = logf(fmaxf(fabsf(x[i]), 1.17549435e-38f));
  }
}

static int run_program(const Call& call) {
  divide<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0), call.output(1));
  return cudaGetLastError();
}
