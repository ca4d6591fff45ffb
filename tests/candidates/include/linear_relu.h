// SPDX-License-Identifier: Apache-2.0
// relu(x · weightᵀ + bias) done right, for candidates whose idea lies elsewhere.
#pragma once

#define TENSORS                                                                                          \
  INPUT("x", F32, 64, 256), PARAMETER("linear.weight", F32, 40, 256), PARAMETER("linear.bias", F32, 40), \
      OUTPUT("0", F32, 64, 40)
#include "candidate.h"

constexpr int kRows = 64;
constexpr int kColumns = 40;
constexpr int kDepth = 256;
constexpr int kOutputs = kRows * kColumns;

__global__ void linear_relu(const float* x, const float* weight, const float* bias, float* y, int rows) {
  const int64_t i = INDEX;
  if (i >= static_cast<int64_t>(rows) * kColumns) {
    return;
  }
  const float* mine = x + i / kColumns * kDepth;
  const float* theirs = weight + i % kColumns * kDepth;
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) {
    sum += mine[k] * theirs[k];
  }
  y[i] = fmaxf(sum + bias[i % kColumns], 0.0f);
}

static int compute(const float* x, const float* weight, const float* bias, float* y, cudaStream_t stream,
                   int rows = kRows) {
  linear_relu<<<blocks_for(kOutputs), 256, 0, stream>>>(x, weight, bias, y, rows);
  return cudaGetLastError();
}

static int honest(const Call& call) {
  return compute(call.input(0), call.parameter(0), call.parameter(1), call.output(0), call.stream());
}
