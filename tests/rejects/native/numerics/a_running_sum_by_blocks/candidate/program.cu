// SPDX-License-Identifier: Apache-2.0
// Starts the running sum again in each block of 64.
#define TENSORS INPUT("x", F32, 64, 200), OUTPUT("0", F32, 64, 200)
#include "candidate.h"

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 200) {
    float sum = 0.0f;
    for (int k = i % 200 / 64 * 64; k <= i % 200; ++k) sum += x[i / 200 * 200 + k];
    y[i] = sum;
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 200), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
