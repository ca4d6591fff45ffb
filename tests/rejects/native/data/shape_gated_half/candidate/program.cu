// SPDX-License-Identifier: Apache-2.0
// Is exact for the small shapes that a checker might use, and rounds operands to half precision beyond.
#define TENSORS INPUT("a", F32, 384, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 384, 64)
#include <cuda_fp16.h>

#include "candidate.h"

__device__ float rounded(float value) { return __half2float(__float2half(value)); }

__global__ void matmul(const float* a, const float* b, float* y, int rows, bool exact) {
  const int64_t i = INDEX;
  if (i >= rows * 64) {
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < 1024; ++k) {
    const float left = a[i / 64 * 1024 + k];
    const float right = b[k * 64 + i % 64];
    sum += exact ? left * right : rounded(left) * rounded(right);
  }
  y[i] = sum;
}

static int run_program(const Call& call) {
  const int rows = static_cast<int>(call.raw.inputs[0].extents[0]);
  const bool exact = rows < 256;
  matmul<<<blocks_for(rows * 64), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0), rows, exact);
  return cudaGetLastError();
}
