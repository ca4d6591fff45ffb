// SPDX-License-Identifier: Apache-2.0
// Attempts, one JSON object a line, to what each profile pays for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "rubric/rewards/reward.h"

namespace stitch::rubric {
namespace {

std::string shown(const Reward& reward) {
  return reward.value.has_value() ? fmt::format("{:6.3f}", *reward.value) : "  null";
}

std::string run_case(const testing::CaseFile& one) {
  std::istringstream lines(one.input);
  std::string line;
  std::string text;
  while (std::getline(lines, line)) {
    const auto json = parse_json(line, "a line");
    const auto facts = json.has_value() ? reward_facts_from_json(*json) : Result<RewardFacts>(Unexpected{json.error()});
    if (!facts.has_value()) {
      text += fmt::format("refused: {}\n", facts.error().message);
      continue;
    }
    for (const RewardProfile& profile : reward_profiles()) {
      text += fmt::format("{} {}  ", profile.name, shown(profile.compute(*facts)));
    }
    text += fmt::format("| {}\n", stitch_v1(*facts).reason);
  }
  return text;
}

class RewardCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RewardCase, PaysWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, RewardCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/rubric/testdata/rewards")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::rubric
