// SPDX-License-Identifier: Apache-2.0
// Sums of segments given by offsets: a warp a segment, binary search for the segment of an element.
#include "check.h"

__device__ int segment_of(const int* offsets, int segments, int element) {
  int low = 0, high = segments;
  while (high - low > 1) {
    const int middle = (low + high) >> 1;
    (offsets[middle] <= element ? low : high) = middle;
  }
  return low;
}

__global__ void sums_by_warp(const float* values, const int* offsets, float* out, int segments) {
  const int segment = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (segment >= segments) return;
  float sum = 0;
  for (int i = offsets[segment] + (threadIdx.x & 31); i < offsets[segment + 1]; i += 32) sum += values[i];
  for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
  if ((threadIdx.x & 31) == 0) out[segment] = sum;
}

__global__ void scaled(const float* values, const int* offsets, const float* sums, float* out, int count,
                       int segments) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = values[i] / sums[segment_of(offsets, segments, i)];
}

int main() {
  const std::vector<int> offsets = {0, 3, 3, 70, 71, 200, 333};
  const int segments = int(offsets.size()) - 1, count = offsets.back();
  const std::vector<float> values = ramp(count, 0.01f, 0.5f);
  DeviceArray<float> a(values), sums(segments), out(count);
  DeviceArray<int> o(offsets);
  sums_by_warp<<<2, 96>>>(a.data, o.data, sums.data, segments);
  scaled<<<(count + 63) / 64, 64>>>(a.data, o.data, sums.data, out.data, count, segments);
  std::vector<double> totals(segments, 0.0), expected(count);
  for (int s = 0; s < segments; ++s)
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) totals[s] += values[i];
  for (int s = 0; s < segments; ++s)
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected[i] = values[i] / totals[s];
  expect_near(sums.get(), totals, 1e-5, "sums");
  expect_near(out.get(), expected, 1e-5, "shares");
  return pass();
}
