// SPDX-License-Identifier: Apache-2.0
// Queries to the terms that are looked for: "term^weight", and what of them is asked of declarations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/case_file.h"
#include "knowledge/query/terms.h"

namespace stitch::knowledge {
namespace {

std::string printed(const std::vector<Term>& terms) {
  std::string text;
  for (const Term& term : terms) {
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", term.text, term.weight > 1 ? "^" : "");
  }
  return text + "\n";
}

Query query_in(const testing::CaseFile& one) {
  if (one.run == "error") {
    return ErrorQuery{one.input};
  }
  if (one.run == "text") {
    return TextQuery{one.input};
  }
  std::istringstream words(one.input);
  std::string bound;
  ProfileQuery profile;
  words >> bound >> profile.step_kind >> profile.dtype >> profile.device;
  profile.bound = bound_from_string(bound);
  return profile;
}

std::string run_terms_case(const testing::CaseFile& one) {
  const std::vector<Term> terms = terms_of(query_in(one));
  return printed(terms) + "declared: " + printed(declaration_terms(terms));
}

class TermsCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(TermsCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_terms_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, TermsCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/knowledge/testdata/terms")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Terms, AreFewWhateverIsAsked) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += fmt::format("word{} ", i);
  }
  EXPECT_LE(terms_of(TextQuery{text}).size(), kMaxTerms);
  EXPECT_LE(terms_of(ErrorQuery{"error: " + text}).size(), kMaxTerms);
}

TEST(Terms, CarryNoSyntaxOfTheFullTextTable) {
  EXPECT_EQ(match_expression(terms_of(TextQuery{"\"x\" NEAR(y) title:z* -w ^q"})),
            "\"x\" OR \"x\" OR \"near\" OR \"near\" OR \"y\" OR \"y\" OR \"title\" OR \"title\" OR \"z\" OR \"z\" OR "
            "\"w\" OR \"w\" OR \"q\" OR \"q\"");
  EXPECT_TRUE(terms_of(TextQuery{"\"\"\"*()^:-"}).empty());
}

}  // namespace
}  // namespace stitch::knowledge
