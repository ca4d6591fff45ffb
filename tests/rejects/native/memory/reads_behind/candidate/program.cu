// SPDX-License-Identifier: Apache-2.0
// Reads four elements at a time past the end of its input.
#include "linear_relu.h"

__global__ void wide(const float* x, float* y) {
  const float4 last = reinterpret_cast<const float4*>(x + kRows * kDepth)[threadIdx.x % 2];
  y[threadIdx.x] = last.x + last.y;
}

static int run_program(const Call& call) {
  static float sink;
  wide<<<1, 64, 0, call.stream()>>>(call.input(0), call.output(0));
  return honest(call);
}
