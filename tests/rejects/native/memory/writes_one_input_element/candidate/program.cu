// SPDX-License-Identifier: Apache-2.0
// Computes the answer and changes one element of its input afterwards.
#include "linear_relu.h"

static int run_program(const Call& call) {
  const int failed = honest(call);
  cudaMemsetAsync(const_cast<float*>(call.input(0)) + kRows * kDepth - 1, 0, 1, call.stream());
  return failed;
}
