// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/tiling.h"

#include <gtest/gtest.h>

#include "verify/compare/constants.h"

namespace stitch::verify {
namespace {

void expect_partition(const std::vector<int64_t>& shape, int64_t elements) {
  const Tiling tiling(shape);
  int64_t next = 0;
  for (int64_t i = 0; i < tiling.tile_count(); ++i) {
    const TileRange tile = tiling.tile(i);
    EXPECT_EQ(tile.begin, next);
    EXPECT_LE(tile.count, kTileMaximumElements);
    EXPECT_TRUE(tile.count >= kTileMinimumElements || tiling.is_small());
    next = tile.begin + tile.count;
  }
  EXPECT_EQ(next, elements);
}

TEST(Tiling, EveryElementLiesInOneTileOfAllowedSize) {
  expect_partition({}, 1);
  expect_partition({255}, 255);
  expect_partition({256}, 256);
  expect_partition({1000, 7}, 7000);
  expect_partition({3, 255}, 765);
  expect_partition({5, 4096}, 20480);
  expect_partition({2, 4097}, 8194);
  expect_partition({3, 10007}, 30021);
  expect_partition({100000, 1}, 100000);
}

TEST(Tiling, SmallOutputsAreOneTile) {
  EXPECT_TRUE(Tiling({}).is_small());
  EXPECT_TRUE(Tiling({5, 51}).is_small());
  EXPECT_FALSE(Tiling({16, 16}).is_small());
  EXPECT_EQ(Tiling({5, 51}).tile_count(), 1);
  EXPECT_EQ(Tiling({0, 51}).tile_count(), 0);
}

TEST(Tiling, ElementsKnowTheirTile) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{7}, {3, 10000}, {900, 3}, {5, 130, 7}}) {
    const Tiling tiling(shape);
    for (int64_t index = 0; index < tiling.tile_count(); ++index) {
      const TileRange range = tiling.tile(index);
      EXPECT_EQ(tiling.tile_of(range.begin), index);
      EXPECT_EQ(tiling.tile_of(range.begin + range.count - 1), index);
    }
  }
}

TEST(Tiling, RowsAreKeptWhole) {
  EXPECT_EQ(Tiling({4, 300}).tile(1).begin, 300);
  EXPECT_EQ(Tiling({100, 100}).tile(1).begin, 300);
  EXPECT_EQ(Tiling({100, 100}).tile_count(), 33);
  EXPECT_EQ(Tiling({100, 100}).tile(32).count, 400);
}

}  // namespace
}  // namespace stitch::verify
