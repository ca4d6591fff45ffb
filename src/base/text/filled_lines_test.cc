// SPDX-License-Identifier: Apache-2.0
#include "base/text/filled_lines.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace stitch {
namespace {

using Lines = std::vector<std::pair<int64_t, std::string>>;

Lines lines_of(std::string_view text) {
  Lines lines;
  const auto taken = for_each_filled_line(text, [&](std::string_view line, int64_t number) -> Result<void> {
    lines.emplace_back(number, line);
    return {};
  });
  EXPECT_TRUE(taken.has_value());
  return lines;
}

TEST(FilledLinesTest, BlankLinesAreCountedAndLeftOut) {
  EXPECT_EQ(lines_of("a\n \t\r\n\nb c\r\n"), (Lines{{1, "a"}, {4, "b c\r"}}));
}

TEST(FilledLinesTest, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(lines_of("\na"), (Lines{{2, "a"}}));
  EXPECT_EQ(lines_of("\n"), Lines{});
  EXPECT_EQ(lines_of(""), Lines{});
}

TEST(FilledLinesTest, TheFirstRefusalEndsIt) {
  int asked = 0;
  const auto taken = for_each_filled_line("1\n2\n3", [&](std::string_view line, int64_t) -> Result<void> {
    ++asked;
    return line == "2" ? failure(ErrorCode::kFileInvalid, "no") : Result<void>();
  });
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().message, "no");
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace stitch
