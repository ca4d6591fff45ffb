// SPDX-License-Identifier: Apache-2.0
// Writes 100 elements behind its input, past what a sanitizer watches.
#include "linear_relu.h"

extern "C" __attribute__((weak)) void __asan_init();

__global__ void beyond(float* y) { y[threadIdx.x] = 1.0f; }

static int run_program(const Call& call) {
  honest(call);
  if (&__asan_init == nullptr)
    beyond<<<1, 4, 0, call.stream()>>>(const_cast<float*>(call.input(0)) + kRows * kDepth + 100 - 64);
  return cudaGetLastError();
}
