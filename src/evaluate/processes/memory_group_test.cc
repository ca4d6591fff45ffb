// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/memory_group.h"

#include <gtest/gtest.h>

#include <set>

namespace stitch::evaluate {
namespace {

TEST(MemoryGroupTest, TensorsAndRedZonesTakeTurnsAndFillTheBlock) {
  std::mt19937_64 random(3);
  std::set<uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    const uint64_t alignment = i % 2 == 0 ? kTensorAlignment : kBlockAlignment;
    MemoryGroup group{.block = 7, .sizes = {1000, 0, 3, 1 << 20}, .regions = {}, .red_zones = {}};
    lay_out(group, alignment, random);
    ASSERT_EQ(group.regions.size(), 4u);
    ASSERT_EQ(group.red_zones.size(), 5u);
    uint64_t end = 0;
    for (size_t t = 0; t < group.regions.size(); ++t) {
      EXPECT_EQ(group.red_zones[t].offset, end);
      EXPECT_GE(group.red_zones[t].bytes, 256u);
      EXPECT_EQ(group.regions[t].offset, end + group.red_zones[t].bytes);
      EXPECT_EQ(group.regions[t].offset % alignment, 0u);
      EXPECT_EQ(group.regions[t].bytes, group.sizes[t]);
      end = group.regions[t].offset + group.regions[t].bytes;
    }
    EXPECT_EQ(group.red_zones.back().offset, end);
    EXPECT_EQ(end + group.red_zones.back().bytes, room_for(group.sizes));
    EXPECT_GE(group.red_zones.back().bytes, 256u);
    seen.insert(group.regions[0].offset);
  }
  EXPECT_GT(seen.size(), 50u);
}

TEST(MemoryGroupTest, WithoutTensorsThereIsOneRedZone) {
  std::mt19937_64 random(3);
  MemoryGroup group{.block = 7, .sizes = {}, .regions = {}, .red_zones = {}};
  lay_out(group, kTensorAlignment, random);
  ASSERT_EQ(group.red_zones.size(), 1u);
  EXPECT_EQ(group.red_zones[0].bytes, room_for({}));
}

}  // namespace
}  // namespace stitch::evaluate
