// SPDX-License-Identifier: Apache-2.0
// Adds up by shuffles within warps, then in shared memory.
#define TENSORS INPUT("x", F32, 300, 1000), OUTPUT("0", F32, 300)
#include "candidate.h"

__global__ void add(const float* x, float* y) {
  __shared__ float warps[8];
  float sum = 0.0f;
  for (int k = threadIdx.x; k < 1000; k += 256) sum += x[blockIdx.x * 1000 + k];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 8; ++warp) sum += warps[warp];
    y[blockIdx.x] = sum;
  }
}

static int run_program(const Call& call) {
  add<<<300, 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
