// SPDX-License-Identifier: Apache-2.0
// Computes a power of two, with the argument rounded once more.
#define TENSORS INPUT("x", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

constexpr int64_t kCount = 64 * 300;

__global__ void exp_of_spread(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i >= kCount) return;
  y[i] = exp2f(x[i] * 5.7707801f);
}

static int run_program(const Call& call) {
  exp_of_spread<<<blocks_for(kCount), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
