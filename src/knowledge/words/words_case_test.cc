// SPDX-License-Identifier: Apache-2.0
// Texts, one a line, to the words that they are found by.
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/case_file.h"
#include "knowledge/words/synonyms.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

std::string run_words_case(const testing::CaseFile& one) {
  std::string text;
  std::istringstream lines(one.input);
  for (std::string line; std::getline(lines, line);) {
    if (one.run == "synonyms") {
      for (const std::string& other : synonyms_of(line)) {
        text += other + " ";
      }
    } else {
      text += indexed_words(line);
    }
    text += text.ends_with(' ') ? "" : "-";
    text.back() = '\n';
  }
  return text;
}

class WordsCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(WordsCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_words_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, WordsCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/knowledge/testdata/words")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Words, BrokenUtf8AndControlCharactersStandBetweenWords) {
  EXPECT_EQ(indexed_words(std::string("a\0b\xFF"
                                      "c\xC0\x80"
                                      "d\xED\xA0\x80"
                                      "e",
                                      12)),
            "a b c d e ");
  EXPECT_EQ(clean_utf8("ok\xE2\x82"), "ok  ");
  EXPECT_EQ(clean_utf8("a\xC2\x9B"
                       "31m"),
            "a 31m");
  EXPECT_EQ(clean_utf8("gr\xC3\xB6\xC3\x9F"
                       "e\x1b[31m"),
            "gr\xC3\xB6\xC3\x9F"
            "e [31m");
}

TEST(Words, AreAtMostAsManyAsAreAskedFor) { EXPECT_EQ(words_of("a b c d", 2).size(), 2); }

TEST(Words, LongerThanAnyNameAreLeftOut) { EXPECT_TRUE(words_of(std::string(5000, 'x')).empty()); }

}  // namespace
}  // namespace stitch::knowledge
