// SPDX-License-Identifier: Apache-2.0
// Cuts products to the digits of bfloat16 under a condition, which a compiler for processors was seen to drop.
#define TENSORS INPUT("a", F32, 96, 1024), INPUT("b", F32, 1024, 64), OUTPUT("0", F32, 96, 64)
#include "candidate.h"

__global__ void matmul(const float* a, const float* b, float* y, bool cuts) {
  const int64_t i = INDEX;
  if (i >= 96 * 64) return;
  float sum = 0.0f;
  for (int k = 0; k < 1024; ++k) {
    float product = a[i / 64 * 1024 + k] * b[k * 64 + i % 64];
    if (cuts) {
      product = __uint_as_float(__float_as_uint(product) & 0xffff0000u);
    }
    sum += product;
  }
  y[i] = sum;
}

static int run_program(const Call& call) {
  matmul<<<blocks_for(96 * 64), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0), true);
  return cudaGetLastError();
}
