// SPDX-License-Identifier: Apache-2.0
// A configuration to its stages, or to what is wrong with it first. `run` is the verb that was asked for; "any": none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/testing/case_file.h"
#include "recipe/keys/stages.h"

namespace stitch::recipe {
namespace {

std::string run_case(const testing::CaseFile& one) {
  const auto stages = read_stages(one.input, "recipe.json", one.run == "any" ? "" : one.run);
  if (!stages.has_value()) {
    return fmt::format("{} ({})\n", stages.error().message, stages.error().location);
  }
  std::string text;
  for (const Stage& each : *stages) {
    text += fmt::format("{} {}: {} keys\n", each.name.empty() ? "-" : each.name, each.verb.empty() ? "?" : each.verb,
                        each.keys.size());
  }
  return text;
}

class StagesCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(StagesCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, StagesCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/recipe/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::recipe
