// SPDX-License-Identifier: Apache-2.0
#include "base/text/columns.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(Columns, LettersThatAreWideOrHaveNoWidth) {
  EXPECT_EQ(display_columns("model.py"), 8);
  EXPECT_EQ(display_columns("模型.py"), 7);
  EXPECT_EQ(display_columns("e\u0301te\u0301"), 3);
  EXPECT_EQ(display_columns("größe"), 5);
  EXPECT_EQ(display_columns("\xff\xfe"), 2);
  EXPECT_EQ(display_columns("\xe6\xa8"), 2);  // a letter that was cut
}

TEST(Columns, CutNeverTakesMoreThanItMay) {
  for (const std::string& text :
       {std::string("steps/00_expand_gelu.cu"), std::string("模型模型模型.py"), std::string("e\u0301a\u0301 模 x"),
        std::string("\xff\xfe\xe6\xa8模"), std::string("a\tb\x1b[2J\ncd")}) {
    for (const bool unicode : {true, false}) {
      for (int columns = 0; columns < 30; ++columns) {
        const std::string cut = cut_to_columns(text, columns, unicode);
        EXPECT_LE(display_columns(cut), columns) << text;
        EXPECT_EQ(cut.find_first_of("\n\t\x1b"), std::string::npos) << text;
      }
    }
  }
}

TEST(Columns, WhatIsCutIsSeen) {
  EXPECT_EQ(cut_to_columns("program.cu", 10, true), "program.cu");
  EXPECT_EQ(cut_to_columns("program.cu", 9, true), "program.…");
  EXPECT_EQ(cut_to_columns("program.cu", 9, false), "progra...");
  EXPECT_EQ(cut_to_columns("模型模型", 6, true), "模型…");
  EXPECT_EQ(cut_to_columns("模型模型", 2, false), "模");
  EXPECT_EQ(cut_to_columns("a\x1b[2J", 9, true), "a [2J");
}

}  // namespace
}  // namespace stitch
