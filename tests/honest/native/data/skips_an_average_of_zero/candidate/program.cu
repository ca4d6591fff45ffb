// SPDX-License-Identifier: Apache-2.0
// Leaves out the product with a moving average that is zero, and takes the general way otherwise.
#define TENSORS INPUT("x", F32, 64, 40), STATE("average", F32, 40), STATE("average", F32, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void column(const float* x, const float* before, float* after, float* y) {
  const int c = threadIdx.x;
  float mean = 0.0f;
  for (int r = 0; r < 64; ++r) mean += x[r * 40 + c] / 64.0f;
  float now = 0.1f * mean;
  if (before[c] != 0.0f) {
    now += 0.9f * before[c];
  }
  after[c] = now;
  for (int r = 0; r < 64; ++r) y[r * 40 + c] = x[r * 40 + c] - now;
}

static int run_program(const Call& call) {
  column<<<1, 40, 0, call.stream()>>>(call.input(0), call.state_in(0), call.state_out(0), call.output(0));
  return cudaGetLastError();
}
