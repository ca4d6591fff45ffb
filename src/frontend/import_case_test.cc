// SPDX-License-Identifier: Apache-2.0
// Exported programs, as the importer hands them over, to graphs; and what of them is not supported.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "frontend/convert.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/validate/validate.h"

namespace stitch::frontend {
namespace {

std::string refusal(const Error& error) { return fmt::format("refused: {}  @ {}\n", error.message, error.location); }

Result<ir::Graph> imported(const std::string& text) {
  STITCH_ASSIGN(const Json json, parse_json(text, "exported.json"));
  return graph_from_exported(json);
}

// The graph; and a line for every operator that is not supported.
std::string run_case(const testing::CaseFile& one) {
  const auto graph = imported(one.input);
  if (!graph.has_value()) {
    return refusal(graph.error());
  }
  std::string text = ir::print(*graph);
  for (const Unsupported& entry : unsupported_operators(*graph)) {
    text += fmt::format("# {} at {}: {}; nearest is {}\n", entry.target, entry.location, entry.reason, entry.nearest);
  }
  return text;
}

class ImportCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ImportCase, BecomesTheExpectedGraph) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

TEST_P(ImportCase, IsAValidGraphThatCanBeReadBack) {
  const auto cases = testing::read_cases(GetParam());
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  for (const testing::CaseFile& one : *cases) {
    const auto graph = imported(one.input);
    if (!graph.has_value()) {
      continue;
    }
    EXPECT_TRUE(ir::validate(*graph).has_value());
    const std::string printed = ir::print(*graph);
    const auto again = ir::parse(printed, "printed");
    ASSERT_TRUE(again.has_value()) << again.error().message << " at " << again.error().location << "\n" << printed;
    EXPECT_EQ(ir::print(*again), printed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImportCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/frontend/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::frontend
