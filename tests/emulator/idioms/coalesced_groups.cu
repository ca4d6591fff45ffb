// SPDX-License-Identifier: Apache-2.0
// Groups of the lanes that took a branch: warp-aggregated atomics, __activemask, matching labels.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__device__ int aggregated_increment(int* counter) {
  const cg::coalesced_group active = cg::coalesced_threads();
  int start = 0;
  if (active.thread_rank() == 0) start = atomicAdd(counter, static_cast<int>(active.size()));
  return active.shfl(start, 0) + static_cast<int>(active.thread_rank());
}

__global__ void filter(const int* in, int* out, int* kept, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && in[i] % 3 == 0) out[aggregated_increment(kept)] = in[i];
}

__global__ void branch_masks(unsigned int* out) {
  if (threadIdx.x < 12) {
    out[threadIdx.x] = __activemask();
  } else {
    const unsigned int mask = __match_any_sync(0xfffff000u, threadIdx.x % 4);
    out[threadIdx.x] = mask;
  }
}

int main() {
  const int count = 300;
  std::vector<int> in(count);
  std::vector<int> present(1000, 0);
  int expected = 0;
  for (int i = 0; i < count; ++i) {
    in[i] = i * 7 % 911;
    expected += in[i] % 3 == 0;
    if (in[i] % 3 == 0) ++present[in[i]];
  }
  DeviceArray<int> a(in), b(count), kept(std::vector<int>{0});
  filter<<<3, 128>>>(a.data, b.data, kept.data, count);
  expect_equal(kept.get(), std::vector<int>{expected}, "kept");
  const std::vector<int> got = b.get();
  for (int i = 0; i < expected; ++i) --present[got[i]];
  expect_equal(present, std::vector<int>(1000, 0), "multiset");

  DeviceArray<unsigned int> masks(32);
  branch_masks<<<1, 32>>>(masks.data);
  std::vector<unsigned int> lanes(32, 0xfffu);
  for (int i = 12; i < 32; ++i) lanes[i] = (0x11111111u << (i % 4)) & 0xfffff000u;
  expect_equal(masks.get(), lanes, "masks");
  return pass();
}
