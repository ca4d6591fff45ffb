// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/source_fact.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch {
namespace {

Json fact(const Json& line) {
  return {{"file", "a.cu"}, {"line", line},     {"what", "reads a clock"},
          {"audit", true},  {"refused", false}, {"uncompilable", false}};
}

TEST(SourceFact, NamesItsPlaceAsFarAsItIsKnown) {
  EXPECT_EQ((SourceFact{"a.cu", 3, "sleeps", false, false}).message(), "a.cu:3: sleeps");
  EXPECT_EQ((SourceFact{"kernel", 0, "sleeps", false, false}).message(), "kernel: sleeps");
  EXPECT_EQ((SourceFact{"", 0, "sleeps", false, false}).message(), "sleeps");
}

TEST(SourceFact, ReadsWhatAReaderAnswers) {
  const auto facts = source_facts_from_json({{"facts", {fact(12)}}}, "facts");
  ASSERT_TRUE(facts.has_value());
  ASSERT_EQ(facts->size(), 1U);
  EXPECT_EQ(facts->front().message(), "a.cu:12: reads a clock");
  EXPECT_TRUE(facts->front().audit);
}

TEST(SourceFact, RefusesAnotherForm) {
  EXPECT_FALSE(source_facts_from_json({{"facts", {fact("12")}}}, "facts").has_value());
  EXPECT_FALSE(source_facts_from_json({{"facts", "none"}}, "facts").has_value());
  EXPECT_FALSE(source_facts_from_json(Json::object(), "facts").has_value());
}

TEST(SourceFact, CutsWhatIsTooLong) {
  Json many = Json::array();
  for (int i = 0; i < 2000; ++i) {
    many.push_back(fact(i));
  }
  many[0]["what"] = std::string(100000, 'x');
  const auto facts = source_facts_from_json({{"facts", many}}, "facts");
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->size(), 1000U);
  EXPECT_EQ(facts->front().what.size(), 400U);
}

}  // namespace
}  // namespace stitch
