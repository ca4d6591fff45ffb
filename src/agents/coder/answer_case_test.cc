// SPDX-License-Identifier: Apache-2.0
// A Coder's words to the code that is in them, `~` for a backtick; and a file to what it declares of itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agents/coder/answer.h"
#include "base/testing/case_file.h"
#include "driver/written/declarations.h"

namespace stitch::agents {
namespace {

std::string shown(const CoderAnswer& answer) {
  if (const auto* code = std::get_if<StepCode>(&answer); code != nullptr) {
    return "code:\n" + code->text;
  }
  if (const auto* cannot = std::get_if<CannotWrite>(&answer); cannot != nullptr) {
    return "cannot: " + cannot->why;
  }
  return "none: " + std::get<NoCode>(answer).why;
}

std::string shown(const std::variant<plan::WrittenCode, driver::BadDeclaration>& read) {
  if (const auto* bad = std::get_if<driver::BadDeclaration>(&read); bad != nullptr) {
    return "refused: " + bad->why + "\n";
  }
  const auto& written = std::get<plan::WrittenCode>(read);
  std::string text = written.holds_for == plan::HoldsFor::kOwnSizes ? "own sizes\n" : "any sizes\n";
  for (const plan::ScratchTerm& term : written.scratch) {
    text += fmt::format("{}", term.bytes);
    for (const plan::Axis& axis : term.axes) {
      text += fmt::format(" {}[{}]", axis.value, axis.axis);
    }
    text += "\n";
  }
  return text;
}

std::string run_case(const testing::CaseFile& one) {
  if (one.run == "declarations") {
    return shown(driver::written_code_from_text(one.input));
  }
  std::string text = one.input;
  std::replace(text.begin(), text.end(), '~', '`');
  return shown(coder_answer_from_text(text));
}

class CoderCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(CoderCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, CoderCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/agents/testdata/coder")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(CoderAnswer, OfBytesThatAreNoTextOrTooManyIsNone) {
  const auto in_fence = [](const std::string& code) { return coder_answer_from_text("```cuda\n" + code + "\n```\n"); };
  EXPECT_TRUE(std::holds_alternative<StepCode>(in_fence(std::string(200'000, 'x'))));
  EXPECT_TRUE(std::holds_alternative<NoCode>(in_fence(std::string(300'000, 'x'))));
  EXPECT_TRUE(std::holds_alternative<NoCode>(in_fence(std::string("a\0b", 3))));
}

TEST(CoderAnswer, HasTheLinesOfItsCodeHoweverTheyEnd) {
  const auto* marked = "\xEF\xBB\xBF```cuda\r\n\xEF\xBB\xBFint a; \\\r\nint b;\r\n```\r\n";
  const CoderAnswer answer = coder_answer_from_text(marked);
  ASSERT_TRUE(std::holds_alternative<StepCode>(answer));
  EXPECT_EQ(std::get<StepCode>(answer).text, "int a; \\\nint b;\n");
}

}  // namespace
}  // namespace stitch::agents
