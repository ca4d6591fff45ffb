// SPDX-License-Identifier: Apache-2.0
// Catches exceptions of the C++ library, and none comes.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include <stdexcept>
#include <vector>

#include "candidate.h"

static int settings_of(size_t index) {
  try {
    const std::vector<int> settings = {256};
    return settings.at(index);
  } catch (const std::out_of_range&) {
    return 0;  // nothing to pass on
  }
}

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  if (settings_of(0) != 256) return cudaErrorUnknown;
  return cudaGetLastError();
}
