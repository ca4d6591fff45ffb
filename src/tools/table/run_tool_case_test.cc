// SPDX-License-Identifier: Apache-2.0
// A call's arguments to what the model reads.
#include <gtest/gtest.h>

#include "base/testing/case_file.h"
#include "driver/job/unwatched.h"
#include "tools/spec/tool_text.h"
#include "tools/table/run_tool.h"

namespace stitch::tools {
namespace {

std::string run_case(const testing::CaseFile& one) {
  const Result<Json> arguments = parse_json(one.input, "the case");
  if (!arguments.has_value()) {
    return arguments.error().message;
  }
  driver::Unwatched quiet;
  const driver::Services services{driver::Resources{}, quiet};
  ToolContext context{{.root = "/nowhere", .is_confined = true}, services};
  const Result<ToolReply> reply = run_tool(builtin_tools(), one.run, *arguments, context);
  return reply.has_value() ? std::string(to_string(reply->outcome)) + ": " + reply->text
                           : "error: " + reply.error().message;
}

class ToolCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ToolCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, ToolCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/tools/testdata/calls")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(BuiltinTools, EachHasATextAndASchemaThatIsStrict) {
  const ToolTable table = builtin_tools();
  for (const std::unique_ptr<Tool>& tool : table.tools()) {
    EXPECT_FALSE(text_of_tool(tool->spec().name).description.empty());
    EXPECT_EQ(tool->spec().schema["additionalProperties"], false);
    EXPECT_EQ(table.find(tool->spec().name), tool.get());
  }
}

}  // namespace
}  // namespace stitch::tools
