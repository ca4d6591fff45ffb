// SPDX-License-Identifier: Apache-2.0
// Both operands in tiles of shared memory, bias and ReLU behind the product.
#include "linear_relu.h"

__global__ void tiled(const float* x, const float* weight, const float* bias, float* y) {
  __shared__ float left[16][17];
  __shared__ float right[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  const int theirs = blockIdx.x * 16 + threadIdx.y;
  float sum = 0.0f;
  for (int from = 0; from < kDepth; from += 16) {
    left[threadIdx.y][threadIdx.x] = x[row * kDepth + from + threadIdx.x];
    right[threadIdx.x][threadIdx.y] = theirs < kColumns ? weight[theirs * kDepth + from + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (column < kColumns) y[row * kColumns + column] = fmaxf(sum + bias[column], 0.0f);
}

static int run_program(const Call& call) {
  tiled<<<dim3(3, 4), dim3(16, 16), 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                        call.output(0));
  return cudaGetLastError();
}
