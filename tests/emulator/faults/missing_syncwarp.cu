// SPDX-License-Identifier: Apache-2.0
// Warp-synchronous code without __syncwarp, as it was written before independent thread scheduling.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out) {
  __shared__ volatile float values[64];
  const int lane = threadIdx.x;
  values[lane] = in[lane];
  values[lane + 32] = in[lane + 32];
  for (int step = 32; step > 0; step /= 2) values[lane] = values[lane] + values[lane + step];
  if (lane == 0) *out = values[0];
}

int main() {
  const std::vector<float> in = ramp(64, 1.0f, 0.0f);
  DeviceArray<float> a(in), b(1);
  kernel<<<1, 32>>>(a.data, b.data);
  double sum = 0;
  for (const float x : in) sum += x;
  expect_near(b.get(), {sum}, 1e-5, "sum");
  return pass();
}
