// SPDX-License-Identifier: Apache-2.0
// The product, the bias and the ReLU in a kernel each.
#include "linear_relu.h"

__global__ void product(const float* x, const float* weight, float* y, int size) {
  const int64_t i = INDEX;
  if (i >= size) return;
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  y[i] = sum;
}

__global__ void add_bias(const float* bias, float* y, int size) {
  const int64_t i = INDEX;
  if (i < size) y[i] += bias[i % kColumns];
}

__global__ void relu(float* y, int size) {
  const int64_t i = INDEX;
  if (i < size) y[i] = fmaxf(y[i], 0.0f);
}

static int run_program(const Call& call) {
  product<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.output(0), kOutputs);
  add_bias<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.parameter(1), call.output(0), kOutputs);
  relu<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.output(0), kOutputs);
  return cudaGetLastError();
}
