// SPDX-License-Identifier: Apache-2.0
#include "synth/filters/likeness.h"

#include <gtest/gtest.h>

namespace stitch::synth {
namespace {

TEST(Likeness, CountsWhatBothBagsHoldAsOftenAsItStands) {
  EXPECT_DOUBLE_EQ(likeness({1, 2, 3, 4}, {1, 2, 3, 4}), 1);
  EXPECT_DOUBLE_EQ(likeness({1, 2, 3, 4}, {5, 6}), 0);
  EXPECT_DOUBLE_EQ(likeness({1, 1, 2}, {1, 2, 2}), 4.0 / 6);
  EXPECT_DOUBLE_EQ(likeness({}, {}), 0);
}

TEST(KnownTasks, TellsByWhatATaskIsACopy) {
  KnownTasks known;
  known.add("first", "text", "operators", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(known.find("text", "other", {})->copy, Copy::kText);
  EXPECT_EQ(known.find("other", "operators", {})->copy, Copy::kOperators);
  const auto near = known.find("other", "other", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->copy, Copy::kSyntax);
  EXPECT_EQ(near->of, "first");
  EXPECT_NEAR(near->likeness, 24.0 / 25, 1e-12);
  EXPECT_FALSE(known.find("other", "other", {1, 2, 3, 4, 5, 6, 20, 21, 22, 23}).has_value());
}

}  // namespace
}  // namespace stitch::synth
