// SPDX-License-Identifier: Apache-2.0
// One thread an output element, one accumulator.
#define TENSORS \
  INPUT("x", F32, 64, 256), PARAMETER("linear.weight", F32, 40, 256), PARAMETER("linear.bias", F32, 40), \
      OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void linear_relu(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= 64 * 40) return;
  const int64_t row = i / 40, column = i % 40;
  float sum = 0.0f;
  for (int k = 0; k < 256; ++k) {
    sum += x[row * 256 + k] * weight[column * 256 + k];
  }
  y[i] = fmaxf(sum + bias[column], 0.0f);
}

static int run_program(const Call& call) {
  linear_relu<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                              call.output(0));
  return cudaGetLastError();
}
