// SPDX-License-Identifier: Apache-2.0
// Has its kernel write the last row first, and puts the answer together by a copy for each row.
#include "linear_relu.h"

__global__ void backwards(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  y[(kRows - 1 - i / kColumns) * kColumns + i % kColumns] = fmaxf(sum + bias[i % kColumns], 0.0f);
}

static int run_program(const Call& call) {
  static float* rows = nullptr;
  if (rows == nullptr) cudaMalloc(&rows, kOutputs * sizeof(float));
  backwards<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1), rows);
  for (int row = 0; row < kRows; ++row) {
    cudaMemcpyAsync(call.output(0) + row * kColumns, rows + (kRows - 1 - row) * kColumns, kColumns * sizeof(float),
                    cudaMemcpyDeviceToDevice, call.stream());
  }
  return cudaGetLastError();
}
