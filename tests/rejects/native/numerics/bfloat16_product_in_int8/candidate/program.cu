// SPDX-License-Identifier: Apache-2.0
// Quantises the rows of both operands to 127 steps of either sign, a scale for each row.
#define TENSORS                                                                                \
  INPUT("x", STITCH_BFLOAT16, 96, 192), PARAMETER("linear.weight", STITCH_BFLOAT16, 128, 192), \
      PARAMETER("linear.bias", STITCH_BFLOAT16, 128), OUTPUT("0", STITCH_BFLOAT16, 96, 128)
#include <cuda_bf16.h>

#include "candidate.h"

__device__ float scale_of(const __nv_bfloat16* row) {
  float largest = 0.0f;
  for (int k = 0; k < 192; ++k) largest = fmaxf(largest, fabsf(__bfloat162float(row[k])));
  return largest > 0.0f ? largest / 127.0f : 1.0f;
}

__global__ void linear(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                       __nv_bfloat16* y) {
  const int64_t i = INDEX;
  if (i >= 96 * 128) return;
  const __nv_bfloat16 *mine = x + i / 128 * 192, *theirs = weight + i % 128 * 192;
  const float left = scale_of(mine), right = scale_of(theirs);
  float sum = 0.0f;
  for (int k = 0; k < 192; ++k) {
    sum += rintf(__bfloat162float(mine[k]) / left) * rintf(__bfloat162float(theirs[k]) / right);
  }
  y[i] = __float2bfloat16(sum * left * right + __bfloat162float(bias[i % 128]));
}

static int run_program(const Call& call) {
  linear<<<blocks_for(96 * 128), 256, 0, call.stream()>>>(
      call.input<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(1),
      call.output<__nv_bfloat16>(0));
  return cudaGetLastError();
}
