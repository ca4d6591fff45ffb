// SPDX-License-Identifier: Apache-2.0
// A tiled sum that loads the next tile while others still read the last one.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out, int tiles) {
  __shared__ float tile[64];
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile[threadIdx.x] = in[t * 64 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; ++i) sum += tile[i];
  }
  out[threadIdx.x] = sum;
}

int main() {
  const std::vector<float> in = ramp(256, 1.0f, 0.0f);
  DeviceArray<float> a(in), b(64);
  kernel<<<1, 64>>>(a.data, b.data, 4);
  double sum = 0;
  for (const float x : in) sum += x;
  expect_near(b.get(), std::vector<double>(64, sum), 1e-5, "sums");
  return pass();
}
