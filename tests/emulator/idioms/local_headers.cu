// SPDX-License-Identifier: Apache-2.0
// Kernels, shared memory and launches that live in headers of the program, one including the other.
#include "check.h"
#include "local_headers.cuh"
#include "local_headers_helper.cuh"

int main() {
  const std::vector<float> in = ramp(100);
  DeviceArray<float> a(in), b(100);
  local::launch_reverse(a.data, b.data, 100);
  std::vector<float> expected(in.rbegin(), in.rend());
  for (float& x : expected) x = local::twice(x);
  expect_equal(b.get(), expected, "reversed");
  return pass();
}
