// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "llm/sse/sse_parser.h"
#include "llm/sse/utf8.h"

namespace stitch::llm {
namespace {

using Events = std::vector<std::string>;

Events parsed(std::string_view bytes) {
  SseParser parser;
  Events events = parser.feed(bytes);
  for (std::string& each : parser.finish()) {
    events.push_back(std::move(each));
  }
  return events;
}

TEST(SseParser, EndsLinesInAnyWay) {
  EXPECT_EQ(parsed("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\n"), (Events{"a", "b", "c", "d"}));
}

TEST(SseParser, JoinsLinesOfOneEventAndSkipsTheRest) {
  EXPECT_EQ(parsed(": comment\nevent: x\ndata: a\nid: 3\ndata:b\ndata:  c\ndata\n\n\n: ping\n\n"),
            (Events{"a\nb\n c\n"}));
  EXPECT_EQ(parsed("\xEF\xBB\xBF"
                   "data: a\n\n"),
            (Events{"a"}));
  EXPECT_EQ(parsed("datax: a\n\n"), Events{});
  EXPECT_EQ(parsed("data:\n\n"), (Events{""}));
}

TEST(Utf8, HalvesOfCharactersSurviveApart) {
  const std::string text = "a\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 z";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string first = with_stray_bytes_marked(text.substr(0, cut));
    const std::string second = with_stray_bytes_marked(text.substr(cut));
    EXPECT_EQ(with_stray_bytes_marked(first + second), first + second) << "what is marked is valid, cut at " << cut;
    EXPECT_EQ(with_marked_bytes_joined(first + second), text) << "cut at " << cut;
  }
}

TEST(Utf8, WhatNeverBecomesACharacterIsReplaced) {
  const auto through = [](std::string_view bytes) { return with_marked_bytes_joined(with_stray_bytes_marked(bytes)); };
  EXPECT_EQ(through("a\xC3z"), "a\uFFFDz");
  EXPECT_EQ(through("\xFF\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(through("\xC0\xAF"), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(through("\xE0\x80\xAF"), "\uFFFD\uFFFD\uFFFD");            // likewise
  EXPECT_EQ(through("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(through("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond the last
  EXPECT_EQ(through("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");
}

}  // namespace
}  // namespace stitch::llm
