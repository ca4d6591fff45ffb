// SPDX-License-Identifier: Apache-2.0
// Warp votes and matches, with full and partial masks, in a block whose last warp is short.
#include "check.h"

__global__ void votes(unsigned int* out, int* all_equal) {
  const unsigned int i = threadIdx.x;
  const unsigned int mask = i < 32 ? 0xffffffffu : 0xffu;
  const unsigned int odd = __ballot_sync(mask, i % 2);
  const int any = __any_sync(mask, i == 3);
  const int all = __all_sync(mask, i < 32);
  const unsigned int same = __match_any_sync(mask, i / 5);
  int equal = 0;
  const unsigned int everyone = __match_all_sync(mask, i / 32, &equal);
  out[i] = odd + any + 2 * all + same + everyone;
  all_equal[i] = equal;
}

// A stream compaction of each warp by ballot and popc.
__global__ void compact(const int* in, int* out, int* counts) {
  const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool keep = in[threadIdx.x] > 4;
  const unsigned int ballot = __ballot_sync(0xffffffffu, keep);
  const int before = __popc(ballot & ((1u << lane) - 1));
  if (keep) out[warp * 32 + before] = in[threadIdx.x];
  if (lane == 0) counts[warp] = __popc(ballot);
}

int main() {
  DeviceArray<unsigned int> out(40);
  DeviceArray<int> equal(40);
  votes<<<1, 40>>>(out.data, equal.data);
  std::vector<unsigned int> expected(40);
  for (unsigned int i = 0; i < 40; ++i) {
    const unsigned int mask = i < 32 ? 0xffffffffu : 0xffu;
    unsigned int same = 0;
    for (unsigned int lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1u) same |= unsigned((i / 32 * 32 + lane) / 5 == i / 5) << lane;
    expected[i] = (0xaaaaaaaau & mask) + (i < 32 ? 1 : 0) + (i < 32 ? 2 : 0) + same + mask;
  }
  expect_equal(out.get(), expected, "votes");
  expect_equal(equal.get(), std::vector<int>(40, 1), "match_all");

  std::vector<int> in(64), counts(2, 0), packed;
  for (int i = 0; i < 64; ++i) {
    in[i] = i * 5 % 11;
    counts[i / 32] += in[i] > 4;
  }
  DeviceArray<int> a(in), b(std::vector<int>(64, 0)), c(2);
  compact<<<1, 64>>>(a.data, b.data, c.data);
  expect_equal(c.get(), counts, "counts");
  packed.assign(64, 0);
  for (int warp = 0; warp < 2; ++warp)
    for (int i = 0, at = 0; i < 32; ++i)
      if (in[warp * 32 + i] > 4) packed[warp * 32 + at++] = in[warp * 32 + i];
  expect_equal(b.get(), packed, "packed");
  return pass();
}
