// SPDX-License-Identifier: Apache-2.0
// What the keeper's kernels do with each word, on the host.
#include "device/bulk_words.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

namespace stitch::device {
namespace {

TEST(BulkWordsTest, AWordIsTheSameAtEveryAlignment) {
  std::array<unsigned char, 16> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(17 * i + 3);
  }
  uint64_t pair[2] = {};
  std::memcpy(pair, bytes.data(), sizeof(pair));
  for (unsigned offset = 0; offset < 8; ++offset) {
    for (uint64_t count = 1; count <= 8; ++count) {
      uint64_t expected = 0;
      std::memcpy(&expected, bytes.data() + offset, count);
      EXPECT_EQ(word_across(pair[0], pair[1], offset, count), expected) << offset << ", " << count;
    }
  }
}

TEST(BulkWordsTest, PlaceWordAndKeyCount) {
  std::set<uint64_t> seen;
  for (uint64_t key = 0; key < 4; ++key) {
    for (uint64_t index = 0; index < 16; ++index) {
      for (uint64_t bit = 0; bit < 64; ++bit) {
        EXPECT_TRUE(seen.insert(part_of_digest(key, index, uint64_t{1} << bit)).second);
      }
    }
  }
}

TEST(BulkWordsTest, AMaskTakesHalfAndIsAnotherForEachSeed) {
  constexpr uint64_t kElements = 4096;
  uint64_t taken = 0;
  uint64_t alike = 0;
  for (uint64_t i = 0; i < kElements; ++i) {
    taken += takes_first(1, i) ? 1 : 0;
    alike += takes_first(1, i) == takes_first(2, i) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(taken), kElements / 2.0, 200.0);
  EXPECT_NEAR(static_cast<double>(alike), kElements / 2.0, 200.0);
}

TEST(BulkWordsTest, TheLengthCounts) { EXPECT_NE(digest_of_sum(1, 2, 8), digest_of_sum(1, 2, 16)); }

}  // namespace
}  // namespace stitch::device
