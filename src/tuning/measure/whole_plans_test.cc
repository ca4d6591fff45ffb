// SPDX-License-Identifier: Apache-2.0
// The contract of whole plans that compete; the times are literal numbers.
#include "tuning/measure/whole_plans.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace stitch::tuning {
namespace {

class WholePlans : public ::testing::Test {
 protected:
  // Those expected to take 100 us unless said otherwise; one without a time below is unsteady.
  size_t fastest_of(const std::map<size_t, double>& times) {
    options_.has_room = [this] { return room_-- > 0; };
    options_.measure = [this, times](size_t number) -> Result<std::optional<Measurement>> {
      timed_.push_back(number);
      if (number == failing_) {
        return failure(ErrorCode::kEnvironment, "it could not be written");
      }
      const auto found = times.find(number);
      return found == times.end() ? std::optional<Measurement>{} : std::optional(Measurement{found->second, 0.01});
    };
    return fastest(plans_, options_).value();
  }

  std::vector<WholePlan> plans_ = {{"channels_last", 100}, {"channels_first", 110}, {"by_libraries", 130}};
  WholePlanOptions options_;
  std::vector<size_t> timed_;
  int room_ = 100;
  size_t failing_ = 100;
};

TEST_F(WholePlans, TheFasterOneIsKept) {
  EXPECT_EQ(fastest_of({{0, 90}, {1, 80}, {2, 70}}), 2U);
  EXPECT_EQ(timed_, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(plans_[1].measured->median_us, 80);
}

TEST_F(WholePlans, TheFirstIsKeptWhereARivalIsOnlyAsFast) {
  EXPECT_EQ(fastest_of({{0, 80}, {1, 80}, {2, 80}}), 0U);
  EXPECT_EQ(fastest_of({{0, 90}, {1, 80}, {2, 80}}), 1U);
}

TEST_F(WholePlans, ARivalThatFailsIsLeftOut) {
  failing_ = 1;
  EXPECT_EQ(fastest_of({{0, 90}, {2, 70}}), 2U);
  EXPECT_EQ(plans_[1].why_not, "it could not be written");
  EXPECT_EQ(fastest_of({{0, 90}, {2, std::numeric_limits<double>::infinity()}}), 0U);
  EXPECT_EQ(plans_[2].why_not, "it does not run");
}

TEST_F(WholePlans, AFirstThatDoesNotRunLosesToOneThatDoes) {
  EXPECT_EQ(fastest_of({{0, std::numeric_limits<double>::infinity()}, {1, 500}}), 1U);
}

TEST_F(WholePlans, WithoutATimeOfTheFirstNothingIsCompared) {
  EXPECT_EQ(fastest_of({{1, 10}, {2, 10}}), 0U);
  EXPECT_EQ(timed_, std::vector<size_t>{0});
}

TEST_F(WholePlans, NothingIsTimedWhereNoRivalIsNear) {
  plans_[1].expected_us = 141;
  plans_[2].why_not = "it is the same plan";
  EXPECT_EQ(fastest_of({{0, 90}, {1, 1}, {2, 1}}), 0U);
  EXPECT_TRUE(timed_.empty());
  EXPECT_EQ(plans_[1].why_not, "it is expected to take more than 1.4 times as long");
}

TEST_F(WholePlans, TheBudgetEndsWhatIsTimed) {
  room_ = 2;
  EXPECT_EQ(fastest_of({{0, 90}, {1, 80}, {2, 10}}), 1U);
  EXPECT_EQ(plans_[2].why_not, "the budget had ended");
}

TEST_F(WholePlans, AFirstThatCannotBeTimedIsAnError) {
  failing_ = 0;
  options_.has_room = [] { return true; };
  options_.measure = [](size_t) -> Result<std::optional<Measurement>> {
    return failure(ErrorCode::kEnvironment, "the GPU was lost");
  };
  EXPECT_EQ(fastest(plans_, options_).error().message, "the GPU was lost");
}

}  // namespace
}  // namespace stitch::tuning
