// SPDX-License-Identifier: Apache-2.0
// Conditions as they are written to what is understood of them, a line each.
#include <gtest/gtest.h>

#include <sstream>

#include "base/testing/case_file.h"
#include "runs/query/condition.h"

namespace stitch::runs {
namespace {

std::string understood(const std::string& line) {
  const Result<Condition> condition = parse_condition(line);
  if (condition.has_value()) {
    return to_text(*condition);
  }
  return "error, " + condition.error().location + ": " + condition.error().message;
}

std::string run_condition_case(const testing::CaseFile& one) {
  std::istringstream lines(one.input);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += understood(line) + "\n";
  }
  return text;
}

class ConditionCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ConditionCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_condition_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, ConditionCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/runs/testdata/conditions")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Condition, HasNoTextOfTheUsersInItsSql) {
  const auto condition = parse_condition("program='x\"; DROP TABLE runs; --' or option.a-b~')' or not age<1h");
  ASSERT_TRUE(condition.has_value());
  const SqlCondition sql = to_sql(*condition, 1000);
  EXPECT_EQ(sql.text,
            "(COALESCE(task = ?, 0)) OR (COALESCE(instr(lower(json_extract(options, ?)), lower(?)) > 0, 0)) OR "
            "(NOT (COALESCE((? - started_s) < ?, 0)))");
  ASSERT_EQ(sql.values.size(), 5u);
  EXPECT_EQ(std::get<std::string>(sql.values[0]), "x\"; DROP TABLE runs; --");
  EXPECT_EQ(std::get<std::string>(sql.values[1]), "$.\"a-b\"");
  EXPECT_EQ(std::get<double>(sql.values[4]), 3600);
}

TEST(Condition, OfAnyLengthAndDepthIsAnsweredAndNothingCrashes) {
  EXPECT_FALSE(parse_condition(std::string(100'000, '(')).has_value());
  EXPECT_FALSE(parse_condition(std::string(2000, '(')).has_value());
  std::string nots;
  std::string many = "steps=1";
  for (int i = 0; i < 300; ++i) {
    nots += "not ";
    many += " or steps=1";
  }
  EXPECT_FALSE(parse_condition(nots + "steps=1").has_value());
  EXPECT_FALSE(parse_condition(many).has_value());
}

}  // namespace
}  // namespace stitch::runs
