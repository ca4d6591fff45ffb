// SPDX-License-Identifier: Apache-2.0
// Accumulates a product in half precision.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include <cuda_fp16.h>

#include "candidate.h"

__global__ void matmul(const float* a, const float* b, float* y) {
  const int64_t i = INDEX;
  if (i >= 96 * 64) {
    return;
  }
  __half sum = __float2half(0.0f);
  for (int k = 0; k < 1024; ++k) {
    sum = __float2half(__half2float(sum) + a[i / 64 * 1024 + k] * b[k * 64 + i % 64]);
  }
  y[i] = __half2float(sum);
}

static int run_program(const Call& call) {
  matmul<<<blocks_for(96 * 64), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
