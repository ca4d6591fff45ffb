// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/draft_order.h"

#include <gtest/gtest.h>

#include <random>

namespace stitch::plan {
namespace {

// The same question by walking everything.
bool needs(const std::vector<std::set<int>>& reads, int later, int earlier) {
  std::set<int> seen;
  std::vector<int> todo = {later};
  while (!todo.empty()) {
    const int number = todo.back();
    todo.pop_back();
    for (const int read : reads[static_cast<size_t>(number)]) {
      if (read == earlier) {
        return true;
      }
      if (seen.insert(read).second) {
        todo.push_back(read);
      }
    }
  }
  return false;
}

TEST(DraftOrder, KnowsWhoWaitsForWhomHoweverDependenciesArrive) {
  constexpr int kDrafts = 24;
  std::mt19937 generator(11);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    DraftOrder order;
    std::vector<std::set<int>> reads(kDrafts);
    for (int number = 0; number < kDrafts; ++number) {
      order.add(number);
    }
    for (int added = 0; added < 3 * kDrafts; ++added) {
      const int reader = static_cast<int>(generator() % kDrafts);
      const int read = static_cast<int>(generator() % kDrafts);
      if (reader == read) {
        continue;
      }
      ASSERT_EQ(order.depends_on(read, reader), needs(reads, read, reader));
      if (needs(reads, read, reader)) {
        ++refused;
        continue;
      }
      std::set<int> wider = order.reads(reader);
      wider.insert(read);
      order.set_reads(reader, wider);
      reads[static_cast<size_t>(reader)].insert(read);
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(DraftOrder, ForgetsWhatIsNoLongerRead) {
  DraftOrder order;
  for (int number = 0; number < 3; ++number) {
    order.add(number);
  }
  order.set_reads(2, {0, 1});
  order.set_reads(2, {1});
  EXPECT_TRUE(order.readers(0).empty());
  EXPECT_FALSE(order.depends_on(2, 0));
  order.set_reads(0, {2});  // no circle any more
  EXPECT_TRUE(order.depends_on(0, 1));
}

TEST(DraftOrder, AnAbsorbedDraftHandsOnWhatItRead) {
  DraftOrder order;
  for (int number = 0; number < 3; ++number) {
    order.add(number);
  }
  order.set_reads(1, {0});
  order.set_reads(2, {1});
  order.merge(2, 1);
  EXPECT_EQ(order.reads(2), (std::set<int>{0}));
  EXPECT_EQ(order.readers(0), (std::set<int>{2}));
  EXPECT_TRUE(order.readers(1).empty());
}

TEST(DraftOrder, ReadersOfAnAbsorbedDraftReadWhatItBecamePartOf) {
  DraftOrder order;
  for (int number = 0; number < 4; ++number) {
    order.add(number);
  }
  order.set_reads(2, {0, 1});  // 2 becomes part of 0, which then waits for 1
  order.set_reads(3, {2});
  order.merge(0, 2);
  EXPECT_EQ(order.reads(0), (std::set<int>{1}));
  EXPECT_EQ(order.reads(3), (std::set<int>{0}));
  EXPECT_EQ(order.readers(0), (std::set<int>{3}));
  EXPECT_TRUE(order.depends_on(3, 1));
}

}  // namespace
}  // namespace stitch::plan
