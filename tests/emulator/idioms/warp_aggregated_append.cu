// SPDX-License-Identifier: Apache-2.0
// Stream compaction: one atomic a warp, ranks from the ballot below the lane.
#include <algorithm>

#include "check.h"

__global__ void keep_positive(const float* in, float* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : -1.0f;
  const unsigned int kept = __ballot_sync(0xffffffffu, value > 0.0f);
  const int lane = threadIdx.x & 31, leader = __ffs(kept) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(count, __popc(kept));
  if (kept != 0) base = __shfl_sync(0xffffffffu, base, leader);
  if (value > 0.0f) out[base + __popc(kept & ((1u << lane) - 1))] = value;
}

int main() {
  const int n = 3000;
  const std::vector<float> in = ramp(n);
  DeviceArray<float> a(in), b(n);
  DeviceArray<int> count(std::vector<int>{0});
  keep_positive<<<(n + 127) / 128, 128>>>(a.data, b.data, count.data, n);
  std::vector<float> expected;
  for (float value : in)
    if (value > 0) expected.push_back(value);
  expect_equal(count.get(), std::vector<int>{static_cast<int>(expected.size())}, "count");
  std::vector<float> got = b.get();
  got.resize(expected.size());
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  expect_equal(got, expected, "kept");
  return pass();
}
