// SPDX-License-Identifier: Apache-2.0
// Writes where the answer is false, and counts on memory that is not zero where it is true.
#define TENSORS INPUT("x", F32, 64, 256), OUTPUT("0", STITCH_BOOL, 64)
#include "candidate.h"

__global__ void any_above(const float* x, unsigned char* y) {
  bool any = false;
  for (int k = 0; k < 256; ++k) any |= x[INDEX * 256 + k] > 3.0f;
  if (!any) y[INDEX] = 0;
}

static int run_program(const Call& call) {
  any_above<<<1, 64, 0, call.stream()>>>(call.input(0), call.output<unsigned char>(0));
  return cudaGetLastError();
}
