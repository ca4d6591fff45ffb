// SPDX-License-Identifier: Apache-2.0
// Writes behind its output, but not where it sees a sanitizer.
#include "linear_relu.h"

extern "C" __attribute__((weak)) void __asan_init();

__global__ void beyond(float* y) { y[threadIdx.x] = 1.0f; }

static int run_program(const Call& call) {
  honest(call);
  if (&__asan_init == nullptr) beyond<<<1, 16, 0, call.stream()>>>(call.output(0) + kOutputs);
  return cudaGetLastError();
}
