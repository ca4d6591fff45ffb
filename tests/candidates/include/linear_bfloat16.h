// SPDX-License-Identifier: Apache-2.0
// x · weightᵀ + bias in bfloat16, summed in float. A candidate defines STORE(value, row) before it includes this: what
// it stores for a result.
#pragma once

#define TENSORS                                                                                \
  INPUT("x", STITCH_BFLOAT16, 96, 192), PARAMETER("linear.weight", STITCH_BFLOAT16, 128, 192), \
      PARAMETER("linear.bias", STITCH_BFLOAT16, 128), OUTPUT("0", STITCH_BFLOAT16, 96, 128)
#include <cuda_bf16.h>

#include "candidate.h"

#ifndef TERM  // what is added up
#define TERM(left, right) (__bfloat162float(left) * __bfloat162float(right))
#endif

constexpr int kRows = 96;
constexpr int kColumns = 128;
constexpr int kDepth = 192;
constexpr int kOutputs = kRows * kColumns;

__global__ void linear(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                       __nv_bfloat16* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) {
    return;
  }
  const __nv_bfloat16* mine = x + i / kColumns * kDepth;
  const __nv_bfloat16* theirs = weight + i % kColumns * kDepth;
  float sum = __bfloat162float(bias[i % kColumns]);
  for (int k = 0; k < kDepth; ++k) {
    sum += TERM(mine[k], theirs[k]);
  }
  y[i] = STORE(sum, static_cast<int>(i / kColumns));
}

static int run_program(const Call& call) {
  linear<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(
      call.input<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(1),
      call.output<__nv_bfloat16>(0));
  return cudaGetLastError();
}
