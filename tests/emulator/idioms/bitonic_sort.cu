// SPDX-License-Identifier: Apache-2.0
// Sorting in shared memory: a bitonic network whose partners are found by exclusive or, with keys and payloads.
#include <algorithm>
#include <numeric>

#include "check.h"

template <int kCount>
__global__ void sort_rows(const float* keys_in, float* keys_out, int* places_out) {
  __shared__ float keys[kCount];
  __shared__ int places[kCount];
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) {
    keys[i] = keys_in[blockIdx.x * kCount + i];
    places[i] = i;
  }
  for (int size = 2; size <= kCount; size <<= 1) {
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int i = threadIdx.x; i < kCount; i += blockDim.x) {
        const int partner = i ^ stride;
        if (partner <= i) continue;
        const bool ascending = (i & size) == 0;
        const bool larger = keys[i] > keys[partner] || (keys[i] == keys[partner] && places[i] > places[partner]);
        if (larger == ascending) {
          const float key = keys[i];
          keys[i] = keys[partner], keys[partner] = key;
          const int place = places[i];
          places[i] = places[partner], places[partner] = place;
        }
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) {
    keys_out[blockIdx.x * kCount + i] = keys[i];
    places_out[blockIdx.x * kCount + i] = places[i];
  }
}

int main() {
  constexpr int kCount = 512, kRows = 3;
  std::vector<float> in(kRows * kCount);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 7919) % 301);
  DeviceArray<float> a(in), sorted(in.size());
  DeviceArray<int> places(in.size());
  sort_rows<kCount><<<kRows, 128>>>(a.data, sorted.data, places.data);
  std::vector<float> keys;
  std::vector<int> order;
  for (int row = 0; row < kRows; ++row) {
    std::vector<int> index(kCount);
    std::iota(index.begin(), index.end(), 0);
    const float* values = in.data() + row * kCount;
    std::stable_sort(index.begin(), index.end(), [values](int x, int y) { return values[x] < values[y]; });
    for (int place : index) keys.push_back(values[place]), order.push_back(place);
  }
  expect_equal(sorted.get(), keys, "keys");
  expect_equal(places.get(), order, "places");
  return pass();
}
