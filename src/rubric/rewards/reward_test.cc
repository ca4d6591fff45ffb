// SPDX-License-Identifier: Apache-2.0
// What holds for every profile, and what the profiles make of a mixture of easy, hard and outlier tasks.
#include "rubric/rewards/reward.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace stitch::rubric {
namespace {

constexpr std::array kVerdicts = {VerdictKind::kOk,          VerdictKind::kBuildFailed, VerdictKind::kWrong,
                                  VerdictKind::kCrashed,     VerdictKind::kTimedOut,    VerdictKind::kCheated,
                                  VerdictKind::kInvalidTime, VerdictKind::kUnsupported};

RewardFacts right(double candidate_us, double eager_us, double compiled_us, double floor_us) {
  return {.verdict = VerdictKind::kOk,
          .times = RewardTimes{
              .candidate_us = candidate_us, .eager_us = eager_us, .compiled_us = compiled_us, .floor_us = floor_us}};
}

double paid(const RewardProfile& profile, const RewardFacts& facts) {
  const Reward reward = profile.compute(facts);
  EXPECT_TRUE(reward.value.has_value()) << profile.name;
  return reward.value.value_or(std::numeric_limits<double>::quiet_NaN());
}

TEST(Rewards, AFailingWorldAndAnIllConditionedTaskPayNothingAtAll) {
  for (const RewardProfile& profile : reward_profiles()) {
    RewardFacts facts = right(10, 20, 15, 5);
    facts.verdict = std::nullopt;
    EXPECT_FALSE(profile.compute(facts).value.has_value()) << profile.name;
    for (const VerdictKind judges_nobody : {VerdictKind::kIllConditioned, VerdictKind::kUndecided}) {
      facts.verdict = judges_nobody;
      EXPECT_FALSE(profile.compute(facts).value.has_value()) << profile.name;
    }
  }
}

TEST(Rewards, AreFiniteForTheMostExtremeTimes) {
  const std::array extremes = {std::numeric_limits<double>::denorm_min(), 1e-300, 1.0, 1e300,
                               std::numeric_limits<double>::max()};
  for (const RewardProfile& profile : reward_profiles()) {
    for (const double candidate : extremes) {
      for (const double baseline : extremes) {
        for (const double floor : extremes) {
          EXPECT_TRUE(std::isfinite(paid(profile, right(candidate, baseline, baseline, floor))))
              << profile.name << " " << candidate << " " << baseline << " " << floor;
        }
      }
    }
  }
}

TEST(Rewards, PayNothingForTimesThatAreNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const RewardProfile& profile : reward_profiles()) {
    RewardFacts wrong = right(20, 100, 80, 10);
    wrong.verdict = VerdictKind::kWrong;
    for (const double none : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, 0.0, -1.0}) {
      EXPECT_LE(paid(profile, right(none, 100, 80, 10)), paid(profile, wrong)) << profile.name << " " << none;
      for (const RewardFacts& facts : {right(20, none, 80, 10), right(20, 100, none, 10), right(20, 100, 80, none)}) {
        EXPECT_FALSE(profile.compute(facts).value.has_value()) << profile.name << " " << none;
      }
    }
  }
}

// A baseline below the floor leaves no headroom, and one at the floor none that can be told from noise.
TEST(Rewards, AreFiniteAndOrderedWithoutHeadroom) {
  for (const RewardProfile& profile : reward_profiles()) {
    for (const double baseline : {1.0, 9.99, 10.0, 10.01}) {
      const double at_the_floor = paid(profile, right(10, baseline, baseline, 10));
      const double slow = paid(profile, right(1e6, baseline, baseline, 10));
      EXPECT_TRUE(std::isfinite(at_the_floor) && std::isfinite(slow)) << profile.name << " " << baseline;
      EXPECT_GE(at_the_floor, slow) << profile.name << " " << baseline;
      EXPECT_GE(slow, paid(profile, {.verdict = VerdictKind::kWrong})) << profile.name << " " << baseline;
    }
  }
}

TEST(Rewards, AreFiniteForMarksThatNobodyCanHave) {
  for (const RewardProfile& profile : reward_profiles()) {
    for (const int marks : {std::numeric_limits<int>::min(), -1, 0, 21, std::numeric_limits<int>::max()}) {
      RewardFacts facts = right(20, 100, 80, 10);
      facts.marks = marks;
      const double extreme = paid(profile, facts);
      facts.marks = marks < kMinMark ? kMinMark : kMaxMark;
      EXPECT_EQ(extreme, paid(profile, facts)) << profile.name << " " << marks;
    }
  }
}

TEST(Rewards, NothingButARightAnswerPaysAsMuchAsARightOneThatIsSlow) {
  for (const RewardProfile& profile : reward_profiles()) {
    const double slow = paid(profile, right(1e9, 100, 80, 10));
    for (const VerdictKind verdict : kVerdicts) {
      if (verdict != VerdictKind::kOk) {
        RewardFacts facts = right(11, 100, 80, 10);
        facts.verdict = verdict;
        facts.marks = kMaxMark;
        EXPECT_LT(paid(profile, facts), slow) << profile.name << " " << to_string(verdict);
      }
    }
  }
}

TEST(Rewards, ATimeBelowTheFloorPaysNoMoreThanAWrongAnswer) {
  for (const RewardProfile& profile : reward_profiles()) {
    RewardFacts wrong = right(20, 100, 80, 10);
    wrong.verdict = VerdictKind::kWrong;
    EXPECT_LE(paid(profile, right(9.9, 100, 80, 10)), paid(profile, wrong)) << profile.name;
  }
}

TEST(Rewards, ATotalHackPaysNoMoreThanAWrongAnswer) {
  for (const RewardProfile& profile : reward_profiles()) {
    RewardFacts hack = right(20, 100, 80, 10);
    hack.hack = HackClass::kTotal;
    hack.marks = kMaxMark;
    RewardFacts wrong = hack;
    wrong.verdict = VerdictKind::kWrong;
    EXPECT_LE(paid(profile, hack), paid(profile, wrong)) << profile.name;
  }
}

TEST(Rewards, FasterNeverPaysLess) {
  for (const RewardProfile& profile : reward_profiles()) {
    double last = -1e9;
    for (double candidate = 400; candidate > 10; candidate *= 0.97) {
      const double now = paid(profile, right(candidate, 100, 80, 10));
      EXPECT_GE(now, last) << profile.name << " at " << candidate;
      last = now;
    }
  }
}

// Ten tasks where 1.3x is all there is, against one whose reference wastes 70x.
TEST(Rewards, OneTaskOfWasteOutweighsTenOnlyInTheProfileOfSpeedups) {
  const RewardFacts modest = right(100, 130, 130, 100);
  const RewardFacts modest_lost = right(125, 130, 130, 100);
  const RewardFacts outlier = right(100, 7000, 7000, 100);
  const RewardFacts outlier_lost = right(5600, 7000, 7000, 100);
  const auto worth = [](const RewardProfile& profile, const RewardFacts& won, const RewardFacts& lost) {
    return paid(profile, won) - paid(profile, lost);
  };
  const RewardProfile stitchcuda = reward_profiles()[0];
  const RewardProfile stitch = reward_profiles()[2];
  EXPECT_GT(worth(stitchcuda, outlier, outlier_lost), 5 * worth(stitchcuda, modest, modest_lost));
  EXPECT_LT(worth(stitch, outlier, outlier_lost), 2 * worth(stitch, modest, modest_lost));
  EXPECT_DOUBLE_EQ(paid(stitch, outlier), paid(stitch, modest));
}

TEST(Rewards, OnlyOursGoesOnPayingPastTheOthersCeilings) {
  const RewardFacts good = right(30, 100, 80, 5);
  const RewardFacts better = right(10, 100, 80, 5);
  EXPECT_EQ(paid(reward_profiles()[0], good), paid(reward_profiles()[0], better));
  EXPECT_EQ(paid(reward_profiles()[1], good), paid(reward_profiles()[1], better));
  EXPECT_LT(paid(reward_profiles()[2], good), paid(reward_profiles()[2], better));
}

TEST(Rewards, APartialHackEarnsWhatItGainedAndNotThatItIsRight) {
  RewardFacts lazy = right(99, 100, 100, 10);
  const double honest = paid(reward_profiles()[2], lazy);
  lazy.hack = HackClass::kPartial;
  EXPECT_LT(paid(reward_profiles()[2], lazy), honest / 3);
}

}  // namespace
}  // namespace stitch::rubric
