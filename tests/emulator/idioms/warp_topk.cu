// SPDX-License-Identifier: Apache-2.0
// The k largest of a row by repeated warp maxima: each lane keeps its own candidates, winners are struck out.
#include <algorithm>

#include "check.h"

template <int kPerLane>
__global__ void top_k(const float* in, float* values, int* places, int columns, int k) {
  const int lane = threadIdx.x;
  float own[kPerLane];
#pragma unroll
  for (int i = 0; i < kPerLane; ++i)
    own[i] = lane + i * 32 < columns ? in[blockIdx.x * columns + lane + i * 32] : -INFINITY;
  for (int rank = 0; rank < k; ++rank) {
    float best = -INFINITY;
    int place = columns;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i)
      if (own[i] > best) best = own[i], place = lane + i * 32;
    for (int step = 16; step > 0; step >>= 1) {
      const float other = __shfl_xor_sync(0xffffffffu, best, step);
      const int other_place = __shfl_xor_sync(0xffffffffu, place, step);
      if (other > best || (other == best && other_place < place)) best = other, place = other_place;
    }
    if (lane == 0) values[blockIdx.x * k + rank] = best, places[blockIdx.x * k + rank] = place;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i)
      if (lane + i * 32 == place) own[i] = -INFINITY;
  }
}

int main() {
  const int rows = 4, columns = 100, k = 6;
  std::vector<float> in(rows * columns);
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>((i * 271) % 997) * 0.5f;
  DeviceArray<float> a(in), values(rows * k);
  DeviceArray<int> places(rows * k);
  top_k<4><<<rows, 32>>>(a.data, values.data, places.data, columns, k);
  std::vector<float> expected;
  for (int row = 0; row < rows; ++row) {
    std::vector<float> sorted(in.begin() + row * columns, in.begin() + (row + 1) * columns);
    std::sort(sorted.rbegin(), sorted.rend());
    expected.insert(expected.end(), sorted.begin(), sorted.begin() + k);
  }
  expect_equal(values.get(), expected, "values");
  const std::vector<int> found = places.get();
  for (int i = 0; i < rows * k; ++i)
    if (in[i / k * columns + found[i]] != expected[i]) return std::printf("WRONG place %d\n", i), 1;
  return pass();
}
