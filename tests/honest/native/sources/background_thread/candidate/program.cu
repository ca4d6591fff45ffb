// SPDX-License-Identifier: Apache-2.0
// Starts a thread in the first call that sets something up and ends.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include <thread>

#include "candidate.h"

static int threads_wanted = 0;

static int set_up() {
  std::thread worker([] { threads_wanted = 256; });
  worker.join();
  return threads_wanted;
}

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  static const int wanted = set_up();
  if (wanted != 256) return cudaErrorUnknown;
  return cudaGetLastError();
}
