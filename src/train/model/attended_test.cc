// SPDX-License-Identifier: Apache-2.0
// What a GPU computes with, compared with PyTorch's own sharing of keys, in fp64.
#include "train/model/attended.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

namespace stitch::train {
namespace {

constexpr int64_t kHeads = 6;
constexpr int64_t kKeyHeads = 2;
constexpr int64_t kKeys = 7;

Tensor drawn(int64_t heads, int64_t tokens, uint64_t seed) {
  return at::empty({3, heads, tokens, 4}, at::kDouble).normal_(0, 1, at::make_generator<at::CPUGeneratorImpl>(seed));
}

double apart(const Tensor& one, const Tensor& two) { return (one - two).abs().max().item<double>(); }

TEST(Attended, RepeatedKeysAreSharedOnes) {
  const Tensor k = drawn(kKeyHeads, kKeys, 1);
  const Tensor v = drawn(kKeyHeads, kKeys, 2);
  const Tensor q = drawn(kHeads, kKeys, 3);
  const Tensor shared = attended(q, k, v, std::nullopt, true);
  EXPECT_LT(apart(attended_with_repeated_keys(q, k, v, std::nullopt, true), shared), 1e-12);
  EXPECT_GT(apart(attended(q, k.flip(1), v.flip(1), std::nullopt, true), shared), 0.1)
      << "heads have keys of their own";
}

TEST(Attended, GroupsOfOneTokenAreItsHeads) {
  const Tensor k = drawn(kKeyHeads, kKeys, 1);
  const Tensor v = drawn(kKeyHeads, kKeys, 2);
  const Tensor q = drawn(kHeads, 1, 3);
  const Tensor reads = (at::arange(kKeys).view({1, 1, 1, -1}) >= at::arange(3).view({-1, 1, 1, 1}));
  for (const std::optional<Tensor>& mask : {std::optional<Tensor>(), std::optional<Tensor>(reads)}) {
    const Tensor grouped = attended_by_groups(q, k, v, mask);
    EXPECT_EQ(grouped.sizes().vec(), q.sizes().vec());
    EXPECT_LT(apart(grouped, attended(q, k, v, mask, false)), 1e-12);
  }
}

}  // namespace
}  // namespace stitch::train
