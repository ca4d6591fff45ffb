// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/words.h"

#include <gtest/gtest.h>

#include "cli/output/columns.h"

namespace stitch::cli {
namespace {

constexpr const char* kThen = "2026-11-21T13:04:55Z";

TEST(Words, SayHowLongAgo) {
  const std::optional<int64_t> then = seconds_since_1970(kThen);
  ASSERT_EQ(then, 1795266295);
  EXPECT_EQ(when(kThen, *then), "just now");
  EXPECT_EQ(when(kThen, *then + 61), "1 minute ago");
  EXPECT_EQ(when(kThen, *then + 59 * 60), "59 minutes ago");
  EXPECT_EQ(when(kThen, *then + 3 * 3600), "3 hours ago");
  EXPECT_EQ(when(kThen, *then + 25 * 3600), "1 day ago");
  EXPECT_EQ(when(kThen, *then + 40 * 24 * 3600), "2026-11-21");
}

TEST(Words, OfAClockThatWasSetBackOrOfNoTimeAreTheTextItself) {
  EXPECT_EQ(when(kThen, 0), kThen);
  EXPECT_EQ(when("soon", 10), "soon");
}

TEST(Words, Durations) {
  EXPECT_EQ(duration(9.84), "9.8 s");
  EXPECT_EQ(duration(192.4), "3 min 12 s");
  EXPECT_EQ(duration(7322), "2 h 2 min");
}

TEST(Columns, CountWhatIsSeen) {
  EXPECT_EQ(visible_width("\033[31mgrün\033[0m"), 4u);
  EXPECT_EQ(padded("→", 3), "→  ");
  EXPECT_EQ(table({{"a", "b"}, {"\033[1mlong\033[0m", "c"}}), "a     b\n\033[1mlong\033[0m  c\n");
}

TEST(Columns, BreakAtSpacesAndLeaveLongWordsWhole) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("/a/path/that/is/long x", 5), (std::vector<std::string>{"/a/path/that/is/long", "x"}));
  EXPECT_EQ(wrapped("", 5), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace stitch::cli
