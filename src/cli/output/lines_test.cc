// SPDX-License-Identifier: Apache-2.0
#include "cli/output/lines.h"

#include <gtest/gtest.h>

#include "base/text/columns.h"

namespace stitch::cli {
namespace {

const Style kPlain{.color = false, .unicode = true};

TEST(Lines, AFact) {
  EXPECT_EQ(fact_line("plan", "7 steps from 41 operators", 3.14, 0, kPlain),
            "  plan      7 steps from 41 operators  (3.1 s)");
  EXPECT_EQ(fact_line("plan", "7 steps from 41 operators", 3.14, 40, kPlain),
            "  plan      7 steps from 41 op…  (3.1 s)");
  EXPECT_EQ(fact_line("plan", "7 steps from 41 operators", 3.14, 40, {}), "  plan      7 steps from 41 ...  (3.1 s)");
}

TEST(Lines, WhatIsWaitedForTurns) {
  const Waiting waiting{1, "build", "emulated 3/6  g++ on program.cu", 2.0};
  EXPECT_EQ(waiting_line(waiting, 14.5, 0, 80, kPlain), "⠋ build     emulated 3/6  g++ on program.cu  12.5 s");
  EXPECT_EQ(waiting_line(waiting, 14.5, 11, 80, kPlain), "⠙ build     emulated 3/6  g++ on program.cu  12.5 s");
  EXPECT_EQ(waiting_line(waiting, 14.5, 1, 80, {}), "/ build     emulated 3/6  g++ on program.cu  12.5 s");
}

TEST(Lines, NoneIsWiderThanItMayBe) {
  for (const std::string& message : {std::string("模型模型模型模型模型.py -> 3 operators"), std::string("x")}) {
    const Waiting waiting{1, "a long name of a stage", message, 0};
    for (const bool unicode : {true, false}) {
      for (int columns = 1; columns < 90; ++columns) {
        const Style style{.color = false, .unicode = unicode};
        EXPECT_LE(display_columns(waiting_line(waiting, 1, 0, columns, style)), columns);
        EXPECT_LE(display_columns(fact_line("import", message, 1, columns, style)), columns);
      }
    }
  }
}

TEST(Lines, ColoursTakeNoRoom) {
  const std::string line = fact_line("plan", "7 steps from 41 operators", 3.14, 40, {.color = true, .unicode = true});
  EXPECT_EQ(line, "  \x1b[36mplan     \x1b[0m 7 steps from 41 op…  \x1b[2m(3.1 s)\x1b[0m");
}

TEST(Lines, RowsOfATerminalThatWasMadeNarrower) {
  EXPECT_EQ(rows_of({}, 80), 0);
  EXPECT_EQ(rows_of({0, 79, 80}, 80), 3);
  EXPECT_EQ(rows_of({79, 30}, 40), 3);
}

TEST(Lines, Durations) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(99.9), "99.9 s");
  EXPECT_EQ(duration_text(125.2), "2 m 05 s");
  EXPECT_EQ(duration_text(7381), "2 h 03 m");
}

}  // namespace
}  // namespace stitch::cli
