// SPDX-License-Identifier: Apache-2.0
#include "base/seed/seed.h"

#include <gtest/gtest.h>

#include <set>

namespace stitch {
namespace {

TEST(Seed, DrawnOnesDifferAndFitAJsonNumber) {
  std::set<uint64_t> seeds;
  uint64_t seen = 0;  // bits that were set in one of them
  for (int i = 0; i < 200; ++i) {
    const uint64_t seed = drawn_seed();
    EXPECT_LE(seed, kLargestSeed);
    seen |= seed;
    seeds.insert(seed);
  }
  EXPECT_EQ(seeds.size(), 200U);
  EXPECT_EQ(seen, kLargestSeed);
}

TEST(Seed, DerivedOnesAreTheSameForTheSameNamesAlone) {
  EXPECT_EQ(derived_seed(7, "calls", 0), derived_seed(7, "calls", 0));
  std::set<uint64_t> seeds;
  for (const uint64_t seed : {0, 1, 2}) {
    for (const char* name : {"calls", "order"}) {
      for (const uint64_t number : {0, 1, 2}) {
        seeds.insert(derived_seed(seed, name, number));
      }
    }
  }
  EXPECT_EQ(seeds.size(), 18U);
  EXPECT_LT(*seeds.rbegin(), uint64_t{1} << 63U);
}

// The first eight bytes of SHA-256 of "3/order/5", as python3 -c 'import hashlib; ...' gives them.
TEST(Seed, DerivedOnesFollowFromADigest) { EXPECT_EQ(derived_seed(3, "order", 5), 5614273852950772388); }

}  // namespace
}  // namespace stitch
