// SPDX-License-Identifier: Apache-2.0
// Has warps that wait for one another in shared memory.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

__global__ void apply(const float* x, float* y) {
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 0) ready = 1;
  __syncthreads();
  while (ready == 0) __nanosleep(20);
  const int64_t i = INDEX;
  if (i < 64 * 128) y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
}

static int run_program(const Call& call) {
  apply<<<32, 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
