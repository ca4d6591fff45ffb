// SPDX-License-Identifier: Apache-2.0
// Reads a tuning knob from the environment and has a default for it.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include <stdlib.h>

#include "candidate.h"

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  const char* knob = getenv("GELU_THREADS");
  if (knob != nullptr && atoi(knob) < 0) return cudaErrorInvalidValue;
  return cudaGetLastError();
}
