// SPDX-License-Identifier: Apache-2.0
// Reads and writes four elements at a time, as far as the alignment allows.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    if (i % 4 == 0) {
      const float4 v = *reinterpret_cast<const float4*>(x + i);
      float4 w;
      w.x = gelu(v.x);
      w.y = gelu(v.y);
      w.z = gelu(v.z);
      w.w = gelu(v.w);
      *reinterpret_cast<float4*>(y + i) = w;
    }
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
