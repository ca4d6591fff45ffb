// SPDX-License-Identifier: Apache-2.0
// relu(x · weightᵀ + bias) by the host, between two copies: right on any device, and no GPU's work.
#pragma once

#include "linear_relu.h"

static void on_host(const float* x, const float* weight, const float* bias, float* y) {
  for (int i = 0; i < kOutputs; ++i) {
    float sum = bias[i % kColumns];
    for (int k = 0; k < kDepth; ++k) {
      sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
    }
    y[i] = sum > 0.0f ? sum : 0.0f;
  }
}

static int by_host(const Call& call) {
  static float x[kRows * kDepth], weight[kColumns * kDepth], bias[kColumns], y[kOutputs];
  cudaStreamSynchronize(call.stream());
  cudaMemcpy(x, call.input(0), sizeof(x), cudaMemcpyDeviceToHost);
  cudaMemcpy(weight, call.parameter(0), sizeof(weight), cudaMemcpyDeviceToHost);
  cudaMemcpy(bias, call.parameter(1), sizeof(bias), cudaMemcpyDeviceToHost);
  on_host(x, weight, bias, y);
  return cudaMemcpy(call.output(0), y, sizeof(y), cudaMemcpyHostToDevice);
}
