// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/replies/page.h"
#include "tools/replies/verdict_reply.h"

namespace stitch::tools {
namespace {

TEST(Pages, TogetherAreTheText) {
  std::string text;
  for (int line = 0; line < 400; ++line) {
    text += std::string(static_cast<size_t>(line % 97), 'x') + "é\n";
  }
  text += std::string(1000, 'y');
  std::string read;
  size_t offset = 0;
  do {
    const Page page = page_of(text, offset, 300);
    EXPECT_LE(page.text.size(), 300u);
    read += page.text;
    offset = page.next_offset;
  } while (offset != 0);
  EXPECT_EQ(read, text);
}

TEST(Pages, NeverBreakACharacterOrReadBehindTheEnd) {
  const std::string text = "éééééé";
  EXPECT_EQ(page_of(text, 0, 5).text, "éé");
  EXPECT_EQ(page_of(text, 1, 100).text, "ééééé");
  EXPECT_EQ(page_of(text, 12, 5).text, "");
  EXPECT_EQ(page_of(text, 1u << 30, 5).text, "");
}

TEST(Pages, ACutIsMarked) {
  EXPECT_EQ(cut_to("short", 10), "short");
  EXPECT_EQ(cut_to("0123456789ab", 10), "0123456789\n[cut: 2 of 12 bytes are left out]\n");
}

TEST(VerdictReply, TellsNoMoreThanFeedback) {
  const std::string secret = "output 0, regime near_equal, tile 3, tolerance 4";
  for (const VerdictKind kind : {VerdictKind::kWrong, VerdictKind::kCrashed, VerdictKind::kCheated,
                                 VerdictKind::kInvalidTime, VerdictKind::kTimedOut}) {
    const ToolReply reply = verdict_reply({.kind = kind, .reason = secret, .detail = secret}, 1234.5, {});
    EXPECT_EQ(reply.outcome, Outcome::kFellShort);
    for (const char* part : {"near_equal", "tile", "1234", "tolerance"}) {
      EXPECT_EQ((reply.text + reply.facts.dump()).find(part), std::string::npos) << part;
    }
  }
  EXPECT_EQ(told_kind(VerdictKind::kCheated), told_kind(VerdictKind::kInvalidTime));
}

}  // namespace
}  // namespace stitch::tools
