// SPDX-License-Identifier: Apache-2.0
// Takes the count modulo a hundred once it has got there.
#define TENSORS INPUT("x", F32, 64, 40), STATE("calls", I64), STATE("calls", I64), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void scale(const float* x, const int64_t* calls, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 40) {
    y[i] = x[i] * fminf((calls[0] < 100 ? calls[0] : calls[0] % 100) / 1000.0f, 1.0f);
  }
}

__global__ void count(const int64_t* before, int64_t* after) { after[0] = before[0] + 1; }

static int run_program(const Call& call) {
  scale<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.state_in<int64_t>(0), call.output(0));
  count<<<1, 1, 0, call.stream()>>>(call.state_in<int64_t>(0), call.state_out<int64_t>(0));
  return cudaGetLastError();
}
