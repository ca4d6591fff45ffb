// SPDX-License-Identifier: Apache-2.0
// Counts its calls and uses two scratch buffers by turns, kept from call to call.
#include "linear_relu.h"

__global__ void bias_and_relu(const float* products, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i < kOutputs) y[i] = fmaxf(products[i] + bias[i % kColumns], 0.0f);
}

__global__ void products_of(const float* x, const float* weight, float* products) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  products[i] = sum;
}

static int run_program(const Call& call) {
  static float* scratch[2] = {};
  static int calls = 0;
  float*& mine = scratch[calls++ % 2];
  if (mine == nullptr) cudaMalloc(&mine, kOutputs * sizeof(float));
  products_of<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), mine);
  bias_and_relu<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(mine, call.parameter(1), call.output(0));
  return cudaGetLastError();
}
