// SPDX-License-Identifier: Apache-2.0
// Splits each operand into two bfloat16 and adds three products, where three terms are needed.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include <cuda_bf16.h>

#include "candidate.h"

__device__ float rounded(float value) { return __bfloat162float(__float2bfloat16(value)); }

__global__ void matmul(const float* a, const float* b, float* y) {
  const int64_t i = INDEX;
  if (i >= 96 * 64) return;
  float high = 0.0f, low = 0.0f;
  for (int k = 0; k < 1024; ++k) {
    const float x = a[i / 64 * 1024 + k], z = b[k * 64 + i % 64];
    const float first = rounded(x), other = rounded(z);
    high += first * other;
    low += first * rounded(z - other) + rounded(x - first) * other;
  }
  y[i] = high + low;
}

static int run_program(const Call& call) {
  matmul<<<blocks_for(96 * 64), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
