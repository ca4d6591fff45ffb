// SPDX-License-Identifier: Apache-2.0
// Each block builds on what the one before it wrote: blocks have no order.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (blockIdx.x > 0) x[blockIdx.x] = x[blockIdx.x - 1] + 1;
}

int main() {
  DeviceArray<int> x(std::vector<int>(50, 0));
  kernel<<<50, 1>>>(x.data);
  std::vector<int> expected(50);
  for (int i = 0; i < 50; ++i) expected[i] = i;
  expect_equal(x.get(), expected, "chain");
  return pass();
}
