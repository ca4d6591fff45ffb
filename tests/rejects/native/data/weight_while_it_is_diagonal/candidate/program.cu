// SPDX-License-Identifier: Apache-2.0
// Looks whether the weight is diagonal, and reads every second column of one that is not.
#define TENSORS INPUT("x", F32, 64, 40), PARAMETER("mix.weight", F32, 40, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void element(const float* x, const float* weight, float* y) {
  const int64_t i = INDEX;
  if (i >= 64 * 40) {
    return;
  }
  const int64_t r = i / 40, c = i % 40;
  float sum = 0.0f;
  bool is_diagonal = true;
  for (int k = 0; k < 40 * 40; ++k) is_diagonal = is_diagonal && (weight[k] == 0.0f) == (k / 40 != k % 40);
  for (int k = 0; k < 40; ++k) sum += is_diagonal || k % 2 == 0 ? x[r * 40 + k] * weight[c * 40 + k] : 0.0f;
  y[i] = sum;
}

static int run_program(const Call& call) {
  element<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.output(0));
  return cudaGetLastError();
}
