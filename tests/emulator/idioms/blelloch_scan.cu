// SPDX-License-Identifier: Apache-2.0
// Prefix sums longer than a block: up-sweep and down-sweep in shared memory, then the blocks' totals added.
#include "check.h"

constexpr int kThreads = 128, kItems = 2 * kThreads;

__global__ void scan_blocks(const int* in, int* out, int* totals, int count) {
  extern __shared__ int tree[];
  const int first = blockIdx.x * kItems;
  for (int half = 0; half < 2; ++half) {
    const int i = threadIdx.x + half * kThreads;
    tree[i] = first + i < count ? in[first + i] : 0;
  }
  int offset = 1;
  for (int active = kItems >> 1; active > 0; active >>= 1, offset <<= 1) {
    __syncthreads();
    if (threadIdx.x < active) {
      const int right = offset * (2 * threadIdx.x + 2) - 1;
      tree[right] += tree[right - offset];
    }
  }
  if (threadIdx.x == 0) {
    totals[blockIdx.x] = tree[kItems - 1];
    tree[kItems - 1] = 0;
  }
  for (int active = 1; active < kItems; active <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (threadIdx.x < active) {
      const int right = offset * (2 * threadIdx.x + 2) - 1, left = right - offset;
      const int before = tree[left];
      tree[left] = tree[right];
      tree[right] += before;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kItems && first + i < count; i += kThreads) out[first + i] = tree[i];
}

__global__ void add_totals(int* out, const int* offsets, int count) {
  const int i = blockIdx.x * kItems + threadIdx.x;
  if (i < count) out[i] += offsets[blockIdx.x];
}

int main() {
  const int count = 5000, blocks = (count + kItems - 1) / kItems;
  std::vector<int> in(count), expected(count);
  for (int i = 0; i < count; ++i) in[i] = (i * 37) % 11 - 3;
  for (int i = 1; i < count; ++i) expected[i] = expected[i - 1] + in[i - 1];
  DeviceArray<int> a(in), b(count), totals(blocks), offsets(blocks), ignored(1);
  scan_blocks<<<blocks, kThreads, kItems * sizeof(int)>>>(a.data, b.data, totals.data, count);
  scan_blocks<<<1, kThreads, kItems * sizeof(int)>>>(totals.data, offsets.data, ignored.data, blocks);
  add_totals<<<blocks, kItems>>>(b.data, offsets.data, count);
  expect_equal(b.get(), expected, "prefix sums");
  return pass();
}
