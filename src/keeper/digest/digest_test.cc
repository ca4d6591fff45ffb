// SPDX-License-Identifier: Apache-2.0
#include "keeper/digest/digest.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "keeper/poison/random_bytes.h"

namespace stitch::keeper {
namespace {

uint64_t digest_of(const std::vector<std::byte>& bytes, uint64_t key = 1) {
  Digest digest(key);
  digest.update(bytes);
  return digest.finish();
}

TEST(DigestTest, EveryBitCounts) {
  std::vector<std::byte> bytes(77);
  RandomBytes(5).fill(bytes);
  std::set<uint64_t> seen = {digest_of(bytes)};
  for (std::byte& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= std::byte{1} << bit;
      EXPECT_TRUE(seen.insert(digest_of(bytes)).second);
      byte ^= std::byte{1} << bit;
    }
  }
}

TEST(DigestTest, LengthOrderAndKeyCount) {
  EXPECT_NE(digest_of(std::vector<std::byte>(32)), digest_of(std::vector<std::byte>(64)));
  EXPECT_NE(digest_of({}), digest_of(std::vector<std::byte>(1)));
  std::vector<std::byte> left(64);
  std::vector<std::byte> right(64);
  left[0] = std::byte{1};
  right[32] = std::byte{1};
  EXPECT_NE(digest_of(left), digest_of(right));
  EXPECT_NE(digest_of(left, 1), digest_of(left, 2));
}

TEST(DigestTest, PiecesMakeTheWhole) {
  std::vector<std::byte> bytes(1000);
  RandomBytes(6).fill(bytes);
  Digest digest(1);
  digest.update(std::span(bytes).first(320));
  digest.update(std::span(bytes).subspan(320));
  EXPECT_EQ(digest.finish(), digest_of(bytes));
}

TEST(RandomBytesTest, NoTwoFillsAreAlike) {
  std::vector<std::byte> first(64);
  std::vector<std::byte> second(64);
  RandomBytes().fill(first);
  RandomBytes().fill(second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace stitch::keeper
