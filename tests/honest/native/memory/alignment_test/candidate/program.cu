// SPDX-License-Identifier: Apache-2.0
// Looks at the addresses and takes another kernel when they are not aligned to 32 bytes.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

template <int kWidth>
__global__ void apply(const float* x, float* y) {
  for (int64_t i = INDEX * kWidth; i < INDEX * kWidth + kWidth && i < 64 * 128; ++i) y[i] = gelu(x[i]);
}

static int run_program(const Call& call) {
  const auto address = reinterpret_cast<uintptr_t>(call.input(0)) | reinterpret_cast<uintptr_t>(call.output(0));
  if (address % 32 == 0) {
    apply<8><<<4, 256, 0, call.stream()>>>(call.input(0), call.output(0));
  } else {
    apply<4><<<8, 256, 0, call.stream()>>>(call.input(0), call.output(0));
  }
  return cudaGetLastError();
}
