// SPDX-License-Identifier: Apache-2.0
// Sources to documents: id, place, title, headings above, and the text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/case_file.h"
#include "knowledge/source/card.h"
#include "knowledge/source/header.h"
#include "knowledge/source/sections.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

std::string printed_documents(const std::vector<Document>& documents) {
  std::string text;
  for (const Document& document : documents) {
    text += fmt::format("[{}] {} ({})\n  when: {}\n", document.id, document.title, document.place, document.when);
    text += document.messages.empty() ? "" : fmt::format("  messages: {}\n", document.messages);
    std::string body = document.body;
    while (body.ends_with('\n')) {
      body.pop_back();
    }
    for (size_t at = 0; at < body.size();) {
      const size_t end = std::min(body.find('\n', at), body.size());
      text += "  | " + body.substr(at, end - at) + "\n";
      at = end + 1;
    }
  }
  return text;
}

std::string run_sources_case(const testing::CaseFile& one) {
  const Document base{.id = "folder:notes/a.md", .origin = Origin::kFolder, .title = "a", .source = "/notes/a.md"};
  if (one.run == "card") {
    const Result<Document> card = read_card("family/name", one.input);
    return card.has_value() ? printed_documents({*card}) : card.error().message + "\n";
  }
  if (one.run == "header") {
    return printed_documents(read_header("some.h", "/include/some.h", one.input));
  }
  if (one.run == "html") {
    return printed_documents(markdown_sections(base, html_to_markdown(one.input)));
  }
  return printed_documents(one.run == "markdown" ? markdown_sections(base, one.input)
                                                 : plain_sections(base, one.input));
}

class SourcesCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SourcesCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_sources_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, SourcesCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/knowledge/testdata/sources")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Documents, AreCutWhereTheyAreTooLong) {
  Document document{.id = "folder:x", .title = "x", .body = std::string(3 * kMaxDocumentBytes, 'a')};
  const std::vector<Document> pieces = cut_to_size(document);
  ASSERT_GE(pieces.size(), 3);
  EXPECT_EQ(pieces[0].id, "folder:x");
  EXPECT_EQ(pieces[1].id, "folder:x~2");
  size_t bytes = 0;
  for (const Document& piece : pieces) {
    EXPECT_LE(piece.body.size(), kMaxDocumentBytes);
    bytes += piece.body.size();
  }
  EXPECT_EQ(bytes, document.body.size());
}

TEST(Documents, AreCutBetweenCharacters) {
  std::string text;
  for (size_t i = 0; i < kMaxDocumentBytes; ++i) {
    text += "\xC3\xBC";  // u with two dots
  }
  for (const Document& piece : cut_to_size({.body = "x" + text})) {
    EXPECT_EQ(clean_utf8(piece.body), piece.body);
  }
  const std::vector<Document> sections = markdown_sections({.id = "folder:a"}, "# x" + text + "\ntext\n");
  EXPECT_EQ(clean_utf8(sections.front().title + sections.front().id), sections.front().title + sections.front().id);
}

TEST(Documents, OfOneLongLineAreCutInTime) {
  EXPECT_GE(cut_to_size({.body = std::string(32 << 20, 'x')}).size(), 5000);
}

TEST(Documents, OfBrokenHtmlAreReadAsFarAsItGoes) {
  const std::string deep(100'000, '<');
  EXPECT_EQ(html_to_markdown(deep), deep);  // no tag begins here
  EXPECT_EQ(html_to_markdown("a <script>never ends"), "a ");
  EXPECT_EQ(html_to_markdown("a <!-- never ends"), "a ");
  EXPECT_EQ(html_to_markdown("a <b"), "a ");
  std::string nested;
  for (int i = 0; i < 100'000; ++i) {
    nested += "<div>";
  }
  EXPECT_EQ(html_to_markdown(nested + "x").back(), 'x');
}

}  // namespace
}  // namespace stitch::knowledge
