// SPDX-License-Identifier: Apache-2.0
// A step's file to its slow version.
#include <gtest/gtest.h>

#include "agents/slow/slow_text.h"
#include "base/testing/case_file.h"

namespace stitch::agents {
namespace {

std::string run_case(const testing::CaseFile& one) {
  const auto how = one.run == "naive" ? Slowness::kNaiveKernel : Slowness::kScalarAccess;
  return slow_text(one.input, how).value_or("nothing\n");
}

class SlowCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SlowCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, SlowCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/agents/testdata/slow")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::agents
