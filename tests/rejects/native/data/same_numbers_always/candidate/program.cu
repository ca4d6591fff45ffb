// SPDX-License-Identifier: Apache-2.0
// Draws with a seed of its own, whatever seed the call brings.
#define TENSORS INPUT("x", F32, 64, 300), INPUT("random.0", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

__global__ void drop(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 300) {
    const uint32_t mixed = (static_cast<uint32_t>(i) * 2654435761u) ^ 0x9e3779b9u;
    y[i] = (mixed * 2246822519u >> 8) * (1.0f / 16777216.0f) < 0.2f ? 0.0f : x[i] / 0.8f;
  }
}

static int run_program(const Call& call) {
  drop<<<blocks_for(64 * 300), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
