// SPDX-License-Identifier: Apache-2.0
#include "gelu.cuh"

static __global__ void apply(const float* x, float* y, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) {
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
  }
}

int launch_gelu(const float* x, float* y, int64_t count, cudaStream_t stream) {
  apply<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(x, y, count);
  return cudaGetLastError();
}
