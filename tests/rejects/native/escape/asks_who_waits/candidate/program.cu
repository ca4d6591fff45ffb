// SPDX-License-Identifier: Apache-2.0
// Asks the emulator, in a kernel, how many threads of the block live, by a declaration of its own.
#include "linear_relu.h"

extern "C" int stitch_live_threads();

__global__ void when_alone(float* y) {
  if (stitch_live_threads() == 1) y[threadIdx.x] = y[threadIdx.x];
}

static int run_program(const Call& call) {
  honest(call);
  when_alone<<<1, 32, 0, call.stream()>>>(call.output(0));
  return cudaGetLastError();
}
