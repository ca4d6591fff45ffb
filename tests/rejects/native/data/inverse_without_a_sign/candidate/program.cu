// SPDX-License-Identifier: Apache-2.0
// Divides by the size of a denominator and turns the answer where that is below zero, which a negative zero is not.
#define TENSORS INPUT("x", F32, 64, 40), INPUT("y", F32, 64, 40), OUTPUT("0", F32, 64, 40), OUTPUT("1", F32, 64, 40)
#include "candidate.h"

__global__ void divide(const float* x, const float* y, float* quotient, float* logarithm) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    const float size = x[i] / fabsf(y[i]);
    quotient[i] = y[i] < 0.0f ? -size : size;
    logarithm[i] = logf(fabsf(x[i]));
  }
}

static int run_program(const Call& call) {
  divide<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0), call.output(1));
  return cudaGetLastError();
}
