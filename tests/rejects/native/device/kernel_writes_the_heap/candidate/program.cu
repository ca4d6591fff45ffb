// SPDX-License-Identifier: Apache-2.0
// Its kernel writes into memory of malloc(), from where the answer is copied.
#include <cstdlib>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static float* const made = static_cast<float*>(malloc(sizeof(float) * kOutputs));
  compute(call.input(0), call.parameter(0), call.parameter(1), made, call.stream());
  return cudaMemcpyAsync(call.output(0), made, sizeof(float) * kOutputs, cudaMemcpyHostToDevice, call.stream());
}
