// SPDX-License-Identifier: Apache-2.0
// x · weightᵀ + bias in bfloat16, summed in float. A candidate defines STORE(value, row, column) before it includes
// this: what it stores for a result; with TALL there are more rows of fewer terms.
#pragma once

#ifdef TALL
#define ROWS 512
#define DEPTH 32
#else
#define ROWS 96
#define DEPTH 192
#endif
#define TENSORS                                                                                      \
  INPUT("x", STITCH_BFLOAT16, ROWS, DEPTH), PARAMETER("linear.weight", STITCH_BFLOAT16, 128, DEPTH), \
      PARAMETER("linear.bias", STITCH_BFLOAT16, 128), OUTPUT("0", STITCH_BFLOAT16, ROWS, 128)
#include <cuda_bf16.h>

#include "candidate.h"

#ifndef TERM  // what is added up
#define TERM(left, right) (__bfloat162float(left) * __bfloat162float(right))
#endif

constexpr int kRows = ROWS;
constexpr int kColumns = 128;
constexpr int kDepth = DEPTH;
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
  y[i] = STORE(sum, static_cast<int>(i / kColumns), static_cast<int>(i % kColumns));
}

static int run_program(const Call& call) {
  linear<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(
      call.input<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(0), call.parameter<__nv_bfloat16>(1),
      call.output<__nv_bfloat16>(0));
  return cudaGetLastError();
}
