// SPDX-License-Identifier: Apache-2.0
// Tuning never makes a program slower: who is taken, by literal speedups.
#include "tuning/measure/last_look.h"

#include <gtest/gtest.h>

#include <map>

namespace stitch::tuning {
namespace {

class TheLastLook : public ::testing::Test {
 protected:
  // By challenger; one without a speedup is unsteady.
  std::optional<size_t> taken(const std::map<size_t, evaluate::Speedup>& found,
                              const std::map<size_t, evaluate::Speedup>& known = {}) {
    const auto turns = [](std::vector<size_t>& asked, const std::map<size_t, evaluate::Speedup>& told) {
      return [&asked, told](size_t number) -> Result<std::optional<evaluate::Speedup>> {
        asked.push_back(number);
        const auto found = told.find(number);
        return found == told.end() ? std::nullopt : std::optional(found->second);
      };
    };
    std::vector<size_t> lookups;
    const LastLook look{[this] { return room_-- > 0; }, turns(lookups, known), turns(timed_, found)};
    return last_look(challengers_, by_steps_, look);
  }

  std::vector<Challenger> challengers_ = std::vector<Challenger>(2);
  std::optional<size_t> by_steps_ = 1;
  int room_ = 10;
  std::vector<size_t> timed_;
};

evaluate::Speedup between(double low, double high) {
  return {.median = (low + high) / 2, .low = low, .high = high, .refusal = {}};
}

TEST_F(TheLastLook, WhatIsFasterIsTakenAndNothingElseIsAsked) {
  EXPECT_EQ(taken({{0, between(1.02, 1.05)}, {1, between(2, 3)}}), 0U);
  EXPECT_EQ(timed_, std::vector<size_t>{0});
  EXPECT_TRUE(challengers_[0].is_taken);
  EXPECT_FALSE(challengers_[1].is_taken);
}

// Recorded on an H200: 6,395 us untuned, 8,328 tuned.
TEST_F(TheLastLook, WhatIsSlowerIsNot) {
  by_steps_.reset();
  challengers_.resize(1);
  EXPECT_EQ(taken({{0, between(6382.0 / 8687, 6413.0 / 8080)}}), std::nullopt);
  EXPECT_NEAR(challengers_[0].over_untuned->median, 0.76, 0.01);
  EXPECT_FALSE(challengers_[0].is_taken);
}

TEST_F(TheLastLook, ThePessimisticEndCounts) {
  by_steps_.reset();
  EXPECT_EQ(taken({{0, between(0.99, 1.2)}, {1, between(1.0, 1.2)}}), std::nullopt);
  EXPECT_EQ(timed_, (std::vector<size_t>{0, 1}));
}

// Recorded on an H200, where somebody else used it in one of the turns.
TEST_F(TheLastLook, TheMedianCountsWhereStepsProveIt) {
  const evaluate::Speedup disturbed{.median = 1.58, .low = 0.996, .high = 2.92, .refusal = {}};
  EXPECT_EQ(taken({{0, disturbed}, {1, disturbed}}), 1U);
}

TEST_F(TheLastLook, StepsProveNothingAgainstTheMedian) {
  EXPECT_EQ(taken({{0, between(0.8, 0.9)}, {1, between(0.8, 1.1)}}), std::nullopt);
}

TEST_F(TheLastLook, TheSecondMayBeFasterWhereTheFirstIsNot) {
  EXPECT_EQ(taken({{0, between(0.8, 0.9)}, {1, between(1.01, 1.02)}}), 1U);
}

TEST_F(TheLastLook, WithoutTurnsWhatStepsProveIsTaken) {
  EXPECT_EQ(taken({}), 1U);
  EXPECT_EQ(challengers_[0].why_not, "its times were unsteady");
  room_ = 0;
  timed_.clear();
  by_steps_.reset();
  EXPECT_EQ(taken({{0, between(2, 2)}}), std::nullopt);
  EXPECT_TRUE(timed_.empty());
  EXPECT_EQ(challengers_[0].why_not, "the budget had ended");
}

// Once one was seen to be slower, nobody is taken on the steps' word.
TEST_F(TheLastLook, StepsProveNothingBesideTurns) { EXPECT_EQ(taken({{0, between(0.9, 0.95)}}), std::nullopt); }

TEST_F(TheLastLook, WhatWasFoundBeforeIsNotTimedAgain) {
  room_ = 0;
  EXPECT_EQ(taken({}, {{0, between(1.1, 1.1)}}), 0U);
  EXPECT_TRUE(timed_.empty());
}

TEST_F(TheLastLook, ARefusalAndAnErrorAreReasons) {
  challengers_.resize(1);
  by_steps_ = 0;
  evaluate::Speedup refused = between(2, 3);
  refused.refusal = "the candidate's times are of two kinds";
  EXPECT_EQ(taken({{0, refused}}), 0U);  // on the steps' word
  EXPECT_EQ(challengers_[0].why_not, "the candidate's times are of two kinds");
  const auto fails = [](size_t) -> Result<std::optional<evaluate::Speedup>> {
    return failure(ErrorCode::kEnvironment, "the GPU was lost");
  };
  challengers_ = std::vector<Challenger>(1);
  const LastLook look{[] { return true; }, [](size_t) { return std::optional<evaluate::Speedup>{}; }, fails};
  EXPECT_EQ(last_look(challengers_, std::nullopt, look), std::nullopt);
  EXPECT_EQ(challengers_[0].why_not, "the GPU was lost");
}

}  // namespace
}  // namespace stitch::tuning
