// SPDX-License-Identifier: Apache-2.0
// Resets the device in its tenth call, with the memory and the stream that it was given.
#include "linear_relu.h"

static int calls = 0;

static int run_program(const Call& call) {
  const int status = honest(call);
  if (++calls == 10) {
    cudaStreamSynchronize(call.stream());
    cudaDeviceReset();
  }
  return status;
}
