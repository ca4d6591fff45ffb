// SPDX-License-Identifier: Apache-2.0
#include "agents/ask/shorter_request.h"

#include <gtest/gtest.h>

#include "agents/prompts/quote.h"

namespace stitch::agents {
namespace {

size_t count(const std::string& text, const std::string& wanted) {
  size_t found = 0;
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
    ++found;
  }
  return found;
}

std::string lines(size_t number) {
  std::string text;
  for (size_t i = 0; i < number; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  return text;
}

TEST(MakeShorter, AllowsLessFirstAndThenCutsMaterialAlone) {
  llm::ChatRequest request{
      .messages = {{.speaker = llm::Speaker::kSystem, .content = "Rules that stay."},
                   {.content = "Mend it:\n" + quoted("the file", lines(900), 100'000) + "\nIt says:\n" +
                               quoted("the check", lines(300), 100'000) + "\nBe brief."}}};
  EXPECT_EQ(make_shorter(request), "with at most 4096 tokens an answer");
  EXPECT_EQ(make_shorter(request), "with at most 1024 tokens an answer");
  size_t before = request.messages[1].content.size();
  size_t cuts = 0;
  for (; !make_shorter(request).empty(); ++cuts) {
    const std::string& text = request.messages[1].content;
    EXPECT_LE(text.size(), before * 3 / 4 + 16);
    before = text.size();
    EXPECT_EQ(count(text, "<material from="), 2u);
    EXPECT_EQ(count(text, "</material>"), 2u);
    EXPECT_EQ(text.find("Mend it:\n<material"), 0u);
    EXPECT_NE(text.find("</material>\nIt says:\n<material"), std::string::npos);
    EXPECT_NE(text.find("</material>\nBe brief."), std::string::npos);
    EXPECT_NE(text.find("line 0\n"), std::string::npos);
    EXPECT_NE(text.find("line 899\n</material>"), std::string::npos);
    EXPECT_NE(text.find("are left out here"), std::string::npos);
  }
  EXPECT_GE(cuts, 4u);
  EXPECT_LT(before, 2'500u);
  EXPECT_EQ(request.messages[0].content, "Rules that stay.");
}

TEST(MakeShorter, OfWordsAloneLeavesNothingOut) {
  llm::ChatRequest request{.messages = {{.content = lines(2'000)}}, .sampling = {.max_tokens = 1'000}};
  EXPECT_EQ(make_shorter(request), "");
  request.messages = {{.content = "<material from=\"x\">\n" + lines(2'000)}};  // never closed
  EXPECT_EQ(make_shorter(request), "");
  EXPECT_EQ(make_shorter(request), "");
}

}  // namespace
}  // namespace stitch::agents
