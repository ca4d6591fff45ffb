// SPDX-License-Identifier: Apache-2.0
// Speaks of benchmarks, caches, tests and cheating in its comments.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    // The benchmark of this test runs with a warm cache; we do not cheat: fork(), system("rm"), dlopen and ptrace
    // are words here, and so are torch::gelu, at::Tensor and "PASS". This is the second pass.
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
