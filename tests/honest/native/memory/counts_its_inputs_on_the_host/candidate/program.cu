// SPDX-License-Identifier: Apache-2.0
// Reads all of its inputs back in every third call, as who looks for what is no number, and computes on the device.
#include <stdio.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  static float x[kRows * kDepth];
  static int calls = 0;
  const int status = honest(call);
  if (++calls % 3 == 0) {
    cudaMemcpyAsync(x, call.input(0), sizeof(x), cudaMemcpyDeviceToHost, call.stream());
    cudaStreamSynchronize(call.stream());
    int none = 0;
    for (const float value : x) none += value != value;
    if (none > 0) fprintf(stderr, "%d inputs are no number\n", none);
  }
  return status;
}
