// SPDX-License-Identifier: Apache-2.0
// Every operator has a reference and a case file of its own, which says what it gives and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/testing/case_file.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/testing/run_case.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace stitch::ir {
namespace {

std::string case_folder() { return std::string(STITCH_SOURCE_DIR) + "/src/ir/testdata/ops/"; }

bool is_refusal(const testing::CaseFile& one) { return one.expected.rfind("refused: ", 0) == 0; }

class OpsCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(OpsCase, GivesWhatItExpects) { EXPECT_EQ(testing::differences(GetParam(), testing::run_case), ""); }

TEST_P(OpsCase, PrintsAndParsesBack) {
  const auto cases = testing::read_cases(GetParam());
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  for (const testing::CaseFile& one : *cases) {
    const auto graph = parse(one.input, "case");
    if (is_refusal(one)) {
      continue;
    }
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    const std::string printed = print(*graph);
    const auto again = parse(printed, "printed");
    ASSERT_TRUE(again.has_value()) << again.error().message << " at " << again.error().location << " of\n" << printed;
    EXPECT_EQ(print(*again), printed);
    EXPECT_TRUE(validate(*again).has_value()) << printed;
  }
}

// A program cut short anywhere is refused, or is another program; it never brings the reader down.
TEST_P(OpsCase, CutShortIsNoDisaster) {
  const auto cases = testing::read_cases(GetParam());
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  for (const testing::CaseFile& one : *cases) {
    const size_t return_line = one.input.rfind("return");
    for (size_t length = 0; length < one.input.size(); ++length) {
      const auto graph = parse(one.input.substr(0, length), "cut");
      if (graph.has_value()) {
        EXPECT_GT(length, return_line);
        continue;
      }
      EXPECT_FALSE(graph.error().message.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpsCase, ::testing::ValuesIn(testing::case_files(case_folder())),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(Ops, EachHasAReferenceAndATypeRule) {
  for (const Op op : all_ops()) {
    const OpDef* def = find_op(op);
    ASSERT_NE(def, nullptr) << to_string(op);
    EXPECT_TRUE(static_cast<bool>(def->infer)) << to_string(op);
    EXPECT_TRUE(static_cast<bool>(def->reference)) << to_string(op);
  }
}

TEST(Ops, EachHasTwoGoodShapesAndARefusalAmongItsCases) {
  for (const Op op : all_ops()) {
    const std::string name = to_string(op);
    const auto cases = testing::read_cases(case_folder() + name + ".case");
    ASSERT_TRUE(cases.has_value()) << cases.error().message << ": " << name;
    const auto refused = std::count_if(cases->begin(), cases->end(), is_refusal);
    const bool has_values = std::any_of(cases->begin(), cases->end(), [](const testing::CaseFile& one) {
      return one.run == "eval" && !is_refusal(one);
    });
    EXPECT_GE(refused, 1) << name;
    EXPECT_GE(static_cast<int64_t>(cases->size()) - refused, 2) << name;
    EXPECT_TRUE(has_values) << name;
    for (const testing::CaseFile& one : *cases) {
      EXPECT_NE(one.input.find("= " + name + "("), std::string::npos) << name << "\n" << one.input;
    }
  }
}

TEST(Ops, NamesAndOperatorsAreOneToOne) {
  EXPECT_EQ(std::string(to_string(Op::kMaxPool2dWithIndices)), "max_pool2d_with_indices");
  EXPECT_EQ(find_op(Op::kOpaque), nullptr);
  EXPECT_FALSE(op_from_string("Linear").has_value());
  for (const Op op : all_ops()) {
    EXPECT_EQ(op_from_string(to_string(op)), op);
  }
}

TEST(Ops, NoCaseIsOfAnOperatorThatIsNot) {
  for (const std::filesystem::path& path : testing::case_files(case_folder())) {
    EXPECT_TRUE(op_from_string(path.stem().string()).has_value()) << path;
  }
}

}  // namespace
}  // namespace stitch::ir
