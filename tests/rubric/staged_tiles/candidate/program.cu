// SPDX-License-Identifier: Apache-2.0
// Tiles that are copied asynchronously, the next pair while this one is multiplied.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include <cuda_pipeline_primitives.h>

#include "candidate.h"

__global__ void matmul(const float* a, const float* b, float* y) {
  __shared__ float left[2][16][16];
  __shared__ float right[2][16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  const auto fetch = [&](int stage, int from) {
    __pipeline_memcpy_async(&left[stage][threadIdx.y][threadIdx.x], a + row * 1024 + from + threadIdx.x, 4);
    __pipeline_memcpy_async(&right[stage][threadIdx.y][threadIdx.x], b + (from + threadIdx.y) * 64 + column, 4);
    __pipeline_commit();
  };
  float sum = 0.0f;
  fetch(0, 0);
  for (int from = 0; from < 1024; from += 16) {
    const int stage = from / 16 % 2;
    if (from + 16 < 1024) {
      fetch(1 - stage, from + 16);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[stage][threadIdx.y][k] * right[stage][k][threadIdx.x];
    __syncthreads();
  }
  y[row * 64 + column] = sum;
}

static int run_program(const Call& call) {
  matmul<<<dim3(4, 6), dim3(16, 16), 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
