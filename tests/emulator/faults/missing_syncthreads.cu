// SPDX-License-Identifier: Apache-2.0
// Reads the neighbour to the left without a barrier: right only when threads happen to run in order.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = threadIdx.x > 0 ? tile[threadIdx.x - 1] : -1;
}

int main() {
  std::vector<int> in(64), expected(64, -1);
  for (int i = 0; i < 64; ++i) in[i] = i * 3;
  for (int i = 1; i < 64; ++i) expected[i] = in[i - 1];
  DeviceArray<int> a(in), b(64);
  kernel<<<1, 64>>>(a.data, b.data);
  expect_equal(b.get(), expected, "neighbours");
  return pass();
}
