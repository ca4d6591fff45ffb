// SPDX-License-Identifier: Apache-2.0
#include "plan/memory/arena.h"

#include <gtest/gtest.h>

#include <random>

namespace stitch::plan {
namespace {

bool overlap(const Piece& a, const Piece& b) {
  const bool in_time = a.first_step <= b.last_step && b.first_step <= a.last_step;
  const bool in_space = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  return in_time && in_space;
}

TEST(Arena, ReusesMemoryOfPiecesThatAreDone) {
  std::vector<Piece> pieces = {{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}};
  EXPECT_EQ(place_pieces(pieces), 2048);
  EXPECT_EQ(pieces[0].offset, pieces[2].offset);
}

TEST(Arena, EmptyPlanNeedsNoMemory) {
  std::vector<Piece> pieces;
  EXPECT_EQ(place_pieces(pieces), 0);
}

TEST(Arena, AStackIsWhatPlacingMakesOfPiecesThatAllLast) {
  std::vector<Piece> stacked = {{700, 0, 0}, {3000, 0, 0}, {256, 0, 0}, {3000, 0, 0}, {1, 0, 0}};
  std::vector<Piece> placed = stacked;
  EXPECT_EQ(stack_pieces(stacked), place_pieces(placed));
  for (size_t i = 0; i < stacked.size(); ++i) {
    EXPECT_EQ(stacked[i].offset, placed[i].offset);
  }
}

// Each piece at the lowest place that no piece of its time has, by looking at all of them.
TEST(Arena, PlacesLikeOneThatComparesAllPairs) {
  std::mt19937 generator(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<Piece> pieces;
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(generator() % 25);
      pieces.push_back({static_cast<int64_t>(40 - i) * 256, first, first + static_cast<int>(generator() % 9)});
    }
    place_pieces(pieces);
    for (size_t i = 0; i < pieces.size(); ++i) {
      int64_t lowest = 0;
      for (bool is_free = false; !is_free;) {
        is_free = true;
        for (size_t j = 0; j < i; ++j) {
          const Piece tried{pieces[i].bytes, pieces[i].first_step, pieces[i].last_step, lowest};
          if (overlap(tried, pieces[j])) {
            lowest = pieces[j].offset + pieces[j].bytes;
            is_free = false;
          }
        }
      }
      EXPECT_EQ(pieces[i].offset, lowest);
    }
  }
}

TEST(Arena, NeverOverlapsAndIsAligned) {
  std::mt19937 generator(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Piece> pieces;
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(generator() % 20);
      const int last = first + static_cast<int>(generator() % 6);
      pieces.push_back({static_cast<int64_t>(generator() % 5000 + 1), first, last});
    }
    const int64_t total = place_pieces(pieces);
    for (size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(pieces[i].offset % kBufferAlignment, 0);
      EXPECT_LE(pieces[i].offset + pieces[i].bytes, total);
      for (size_t j = i + 1; j < pieces.size(); ++j) {
        EXPECT_FALSE(overlap(pieces[i], pieces[j]));
      }
    }
  }
}

}  // namespace
}  // namespace stitch::plan
