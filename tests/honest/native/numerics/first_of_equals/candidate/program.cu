// SPDX-License-Identifier: Apache-2.0
// Gives the first of equal largest elements.
#define TENSORS INPUT("x", F32, 300, 1000), OUTPUT("0", I64, 300)
#include "candidate.h"

__global__ void argmax(const float* x, int64_t* y) {
  const int64_t r = INDEX;
  if (r >= 300) return;
  int best = 0;
  for (int k = 1; k < 1000; ++k) best = x[r * 1000 + k] > x[r * 1000 + best] ? k : best;
  y[r] = best;
}

static int run_program(const Call& call) {
  argmax<<<2, 256, 0, call.stream()>>>(call.input(0), call.output<int64_t>(0));
  return cudaGetLastError();
}
