// SPDX-License-Identifier: Apache-2.0
// Reads the mean of its input while the moving average is zero, and keeps the average from then on.
#define TENSORS INPUT("x", F32, 64, 40), STATE("average", F32, 40), STATE("average", F32, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void column(const float* x, const float* before, float* after, float* y) {
  const int c = threadIdx.x;
  float now = before[c];
  bool is_new = true;
  for (int k = 0; k < 40; ++k) is_new = is_new && before[k] == 0.0f;
  if (is_new) {
    for (int r = 0; r < 64; ++r) now += x[r * 40 + c] / 640.0f;
  }
  __syncthreads();
  after[c] = now;
  for (int r = 0; r < 64; ++r) y[r * 40 + c] = x[r * 40 + c] - now;
}

static int run_program(const Call& call) {
  column<<<1, 40, 0, call.stream()>>>(call.input(0), call.state_in(0), call.state_out(0), call.output(0));
  return cudaGetLastError();
}
