// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(Printable, NothingSteersATerminalOrBreaksTheLine) {
  EXPECT_EQ(printable_line("a\x1b[2Jb\nok: all right\r\n\n", 100), "a?[2Jb | ok: all right?");
  EXPECT_EQ(printable_lines("a\x1b[2J\n\tb\x7f"), "a?[2J\n\tb?");
}

TEST(Printable, LettersBeyondAsciiStay) { EXPECT_EQ(printable_line("größer × 2", 100), "größer × 2"); }

TEST(Printable, WhatIsTooLongIsCutBetweenLetters) {
  EXPECT_EQ(printable_line("abcdef", 6), "abcdef");
  EXPECT_EQ(printable_line("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable_line("aaé", 3), "aa...");
}

}  // namespace
}  // namespace stitch
