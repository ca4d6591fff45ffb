// SPDX-License-Identifier: Apache-2.0
// Unrolls by templates.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

template <int N>
struct Repeat {
  template <typename F>
  __device__ static void run(F f) {
    f(N - 1);
    Repeat<N - 1>::run(f);
  }
};
template <>
struct Repeat<0> {
  template <typename F>
  __device__ static void run(F) {}
};

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    float sum[1];
    Repeat<4>::run([&](int k) { sum[0] = k == 0 ? x[i] : sum[0]; });
    y[i] = 0.5f * sum[0] * (1.0f + erff(sum[0] * 0.70710678f));
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
