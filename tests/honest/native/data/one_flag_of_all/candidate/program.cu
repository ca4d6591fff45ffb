// SPDX-License-Identifier: Apache-2.0
// Gives a single flag, which chance would often give as well.
#define TENSORS INPUT("x", F32, 64, 256), OUTPUT("0", STITCH_BOOL)
#include "candidate.h"

__global__ void is_sum_positive(const float* x, bool* y) {
  double sum = 0.0;
  for (int i = 0; i < 64 * 256; ++i) sum += x[i];
  *y = sum > 0.0;
}

static int run_program(const Call& call) {
  is_sum_positive<<<1, 1, 0, call.stream()>>>(call.input(0), call.output<bool>(0));
  return cudaGetLastError();
}
