// SPDX-License-Identifier: Apache-2.0
// linear_relu in two passes: sums over quarters of the depth, in memory of the candidate's choice, then theirs.
#pragma once

#include "linear_relu.h"

constexpr int64_t kPartsBytes = 4 * kOutputs * sizeof(float);

static __global__ void partial(const float* x, const float* weight, float* parts) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  const int from = blockIdx.y * (kDepth / 4);
  float sum = 0.0f;
  for (int k = from; k < from + kDepth / 4; ++k)
    sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  parts[blockIdx.y * kOutputs + i] = sum;
}

static __global__ void finish(const float* parts, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  float sum = 0.0f;
  for (int part = 0; part < 4; ++part) sum += parts[part * kOutputs + i];
  y[i] = fmaxf(sum + bias[i % kColumns], 0.0f);
}

static int compute_in_parts(const Call& call, float* parts) {
  partial<<<dim3(blocks_for(kOutputs), 4), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), parts);
  finish<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(parts, call.parameter(1), call.output(0));
  return cudaGetLastError();
}
