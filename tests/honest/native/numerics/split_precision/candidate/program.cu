// SPDX-License-Identifier: Apache-2.0
// Splits each operand into three bfloat16 and adds the six products that matter.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include <cuda_bf16.h>

#include "candidate.h"

struct Three {
  float part[3];
};

__device__ Three split(float value) {
  Three three;
  for (float& part : three.part) {
    part = __bfloat162float(__float2bfloat16(value));
    value -= part;
  }
  return three;
}

__global__ void matmul(const float* a, const float* b, float* y) {
  const int64_t i = INDEX;
  if (i >= 96 * 64) return;
  float high = 0.0f, low = 0.0f;
  for (int k = 0; k < 1024; ++k) {
    const Three left = split(a[i / 64 * 1024 + k]), right = split(b[k * 64 + i % 64]);
    high += left.part[0] * right.part[0];
    low += left.part[0] * right.part[1] + left.part[1] * right.part[0] + left.part[1] * right.part[1] +
           left.part[0] * right.part[2] + left.part[2] * right.part[0];
  }
  y[i] = high + low;
}

static int run_program(const Call& call) {
  matmul<<<blocks_for(96 * 64), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
