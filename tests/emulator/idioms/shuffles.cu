// SPDX-License-Identifier: Apache-2.0
// Shuffles of every kind, width and type, also in only half of a warp.
#include "check.h"

__global__ void scan(const int* in, int* out) {
  int value = in[threadIdx.x];
  for (int step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 >= step) value += before;
  }
  out[threadIdx.x] = value;
}

__global__ void kinds(double* out) {
  const int lane = threadIdx.x;
  const double wide = __shfl_xor_sync(0xffffffffu, lane + 0.5, 5);
  const long long broadcast = __shfl_sync(0xffffffffu, (1ll << 40) + lane, 7);
  const float segment = __shfl_sync(0xffffffffu, float(lane), 2, 8);
  const unsigned int down = __shfl_down_sync(0xffffffffu, static_cast<unsigned int>(lane), 3, 16);
  const int past_end = __shfl_sync(0xffffffffu, lane, 35);
  double half_warp = 0;
  if (lane < 16) {
    half_warp = __shfl_sync(0x0000ffffu, lane, 15 - lane);
  } else {
    half_warp = __shfl_xor_sync(0xffff0000u, lane, 1);
  }
  out[lane] = wide + double(broadcast - (1ll << 40)) + segment + down + past_end + half_warp;
}

int main() {
  std::vector<int> in(64), sums(64);
  for (int i = 0; i < 64; ++i) {
    in[i] = i * i % 17;
    sums[i] = in[i] + (i % 32 ? sums[i - 1] : 0);
  }
  DeviceArray<int> a(in), b(64);
  scan<<<1, 64>>>(a.data, b.data);
  expect_equal(b.get(), sums, "scan");

  DeviceArray<double> c(32);
  kinds<<<1, 32>>>(c.data);
  std::vector<double> expected(32);
  for (int lane = 0; lane < 32; ++lane) {
    const double down = lane % 16 + 3 < 16 ? lane + 3 : lane;
    const double half_warp = lane < 16 ? 15 - lane : (lane ^ 1);
    expected[lane] = ((lane ^ 5) + 0.5) + 7 + (lane / 8 * 8 + 2) + down + 3 + half_warp;
  }
  expect_equal(c.get(), expected, "kinds");
  return pass();
}
