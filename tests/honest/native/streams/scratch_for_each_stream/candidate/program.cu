// SPDX-License-Identifier: Apache-2.0
// Keeps a scratch buffer for each stream that it was called on.
#include <map>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static std::map<cudaStream_t, float*> scratch;
  float*& mine = scratch[call.stream()];
  if (mine == nullptr) cudaMalloc(&mine, kRows * kDepth * sizeof(float));
  cudaMemcpyAsync(mine, call.input(0), kRows * kDepth * sizeof(float), cudaMemcpyDeviceToDevice, call.stream());
  return compute(mine, call.parameter(0), call.parameter(1), call.output(0), call.stream());
}
