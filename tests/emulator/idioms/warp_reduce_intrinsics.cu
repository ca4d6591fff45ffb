// SPDX-License-Identifier: Apache-2.0
// Reductions by one instruction, warp-synchronous code with __syncwarp, partial warps.
#include "check.h"

__global__ void reduce(int* out) {
  const int lane = threadIdx.x;
  const unsigned int mask = lane < 20 ? 0x000fffffu : 0xfff00000u;
  const int sum = __reduce_add_sync(mask, lane);
  const int least = __reduce_min_sync(mask, 50 - lane);
  const unsigned int most = __reduce_max_sync(mask, static_cast<unsigned int>(lane * 3));
  const unsigned int any = __reduce_or_sync(mask, 1u << lane);
  out[lane] = sum + least + static_cast<int>(most) + (any == mask);
}

__global__ void through_shared(const float* in, float* out) {
  __shared__ float values[64];
  const int i = threadIdx.x, lane = i % 32;
  values[i] = in[i];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    const float other = lane < step ? values[i + step] : 0.0f;
    __syncwarp();
    if (lane < step) values[i] += other;
    __syncwarp();
  }
  out[i] = values[i - lane];
}

int main() {
  DeviceArray<int> a(32);
  reduce<<<1, 32>>>(a.data);
  std::vector<int> expected(32);
  for (int i = 0; i < 32; ++i) expected[i] = i < 20 ? 190 + 31 + 57 + 1 : 306 + 19 + 93 + 1;
  expect_equal(a.get(), expected, "reduce");
  const std::vector<float> in = ramp(64, 0.25f, 0.0f);
  DeviceArray<float> b(in), c(64);
  through_shared<<<1, 64>>>(b.data, c.data);
  std::vector<float> sums(64);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 32; ++j) sums[i] += in[i / 32 * 32 + j];
  expect_equal(c.get(), sums, "shared");
  return pass();
}
