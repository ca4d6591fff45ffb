// SPDX-License-Identifier: Apache-2.0
// Copies zeros from the host to its output in each call, and a scale for each column to a scratch of its own; its
// kernels add up in the one and multiply by the other, which is one.
#include "linear_relu.h"

__global__ void add_up(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= 2 * kOutputs) return;
  const int64_t half = i / kOutputs, at = i % kOutputs;
  float sum = half == 0 ? bias[at % kColumns] : 0.0f;
  for (int k = 0; k < kDepth / 2; ++k) {
    const int64_t d = half * (kDepth / 2) + k;
    sum += x[at / kColumns * kDepth + d] * weight[at % kColumns * kDepth + d];
  }
  atomicAdd(y + at, sum);
}

__global__ void clamp(const float* scale, float* y) {
  if (INDEX < kOutputs) y[INDEX] = fmaxf(y[INDEX] * scale[INDEX % kColumns], 0.0f);
}

static int run_program(const Call& call) {
  static float zeros[kOutputs], scale[kColumns];
  static float* scales = nullptr;
  if (scales == nullptr) cudaMalloc(&scales, sizeof(scale));
  for (float& each : scale) each = 1.0f;
  cudaMemcpyAsync(call.output(0), zeros, sizeof(zeros), cudaMemcpyHostToDevice, call.stream());
  cudaMemcpyAsync(scales, scale, sizeof(scale), cudaMemcpyHostToDevice, call.stream());
  add_up<<<blocks_for(2 * kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                              call.output(0));
  clamp<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(scales, call.output(0));
  return cudaGetLastError();
}
