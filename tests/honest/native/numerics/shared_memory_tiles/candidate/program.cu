// SPDX-License-Identifier: Apache-2.0
// Works by tiles in shared memory.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include "candidate.h"

__global__ void matmul(const float* a, const float* b, float* y) {
  __shared__ float left[16][17];
  __shared__ float right[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int from = 0; from < 1024; from += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * 1024 + from + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(from + threadIdx.y) * 64 + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  y[row * 64 + column] = sum;
}

static int run_program(const Call& call) {
  matmul<<<dim3(4, 6), dim3(16, 16), 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
