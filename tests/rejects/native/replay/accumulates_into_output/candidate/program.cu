// SPDX-License-Identifier: Apache-2.0
// Adds to an output that it takes to be zero.
#include "linear_relu.h"

__global__ void accumulate(const float* answer, float* y) {
  const int64_t i = INDEX;
  if (i < kOutputs) atomicAdd(y + i, answer[i]);
}

static int run_program(const Call& call) {
  static float* answer = nullptr;
  if (answer == nullptr) cudaMalloc(&answer, kOutputs * sizeof(float));
  compute(call.input(0), call.parameter(0), call.parameter(1), answer, call.stream());
  accumulate<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(answer, call.output(0));
  return cudaGetLastError();
}
