// SPDX-License-Identifier: Apache-2.0
// Has a table of positions on the host, and copies it to the output that is the same for all contents.
#define TENSORS INPUT("x", F32, 64, 300), OUTPUT("0", F32, 64, 300), OUTPUT("1", F32, 300)
#include "candidate.h"

constexpr int kPositions = 300;

__global__ void thrice(const float* x, float* y) {
  if (INDEX < 64 * kPositions) y[INDEX] = 3 * x[INDEX];
}

static int run_program(const Call& call) {
  static float positions[kPositions];
  for (int i = 0; i < kPositions; ++i) positions[i] = static_cast<float>(i) / kPositions;
  thrice<<<blocks_for(64 * kPositions), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  cudaMemcpyAsync(call.output(1), positions, sizeof(positions), cudaMemcpyHostToDevice, call.stream());
  return cudaGetLastError();
}
