// SPDX-License-Identifier: Apache-2.0
// Lanes pass values to the lane above through shared memory without __syncwarp: right in order, wrong otherwise.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(const int* in, int* out) {
  __shared__ int slots[32];
  slots[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = slots[threadIdx.x & ~1u];
}

int main() {
  std::vector<int> in(32), expected(32);
  for (int i = 0; i < 32; ++i) in[i] = i * 5;
  for (int i = 0; i < 32; ++i) expected[i] = in[i & ~1];
  DeviceArray<int> a(in), b(32);
  kernel<<<1, 32>>>(a.data, b.data);
  expect_equal(b.get(), expected, "pairs");
  return pass();
}
