// SPDX-License-Identifier: Apache-2.0
// Two texts (input, given) to what differs: lines more and fewer, then hunks with their first lines in either.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/case_file.h"
#include "report/agents/text_diff.h"

namespace stitch::report {
namespace {

std::string run_case(const testing::CaseFile& one) {
  const TextDiff diff = text_diff(one.input, one.given);
  std::string text = fmt::format("+{} -{}\n", diff.added, diff.removed);
  for (const DiffHunk& hunk : diff.hunks) {
    text += fmt::format("@ {} {}\n", hunk.old_line, hunk.new_line);
    for (const std::string& line : hunk.lines) {
      text += line + "\n";
    }
  }
  return text;
}

class DiffCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(DiffCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, DiffCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/report/testdata/diff")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(TextDiff, OfNothing) {
  EXPECT_TRUE(text_diff("", "").hunks.empty());
  EXPECT_EQ(text_diff("", "a\nb").added, 2U);
  EXPECT_EQ(text_diff("a\nb\n", "").removed, 2U);
}

// A model may answer with a text of any length: no table of its square is made.
TEST(TextDiff, LongTextsThatHaveNothingInCommon) {
  std::string before;
  std::string after;
  for (int i = 0; i < 20'000; ++i) {
    before += fmt::format("a{}\n", i);
    after += fmt::format("b{}\n", i);
  }
  const TextDiff diff = text_diff("same\n" + before, "same\n" + after);
  EXPECT_EQ(diff.added, 20'000U);
  EXPECT_EQ(diff.removed, 20'000U);
  EXPECT_EQ(diff.hunks.size(), 1U);
}

}  // namespace
}  // namespace stitch::report
