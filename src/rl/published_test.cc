// SPDX-License-Identifier: Apache-2.0
// What TRL's and verl's formulas give, worked out by hand; and where we differ from them on purpose.
#include <gtest/gtest.h>

#include "rl/advantage/group.h"
#include "rl/value/gae.h"
#include "rl/value/moments.h"

namespace stitch::rl {
namespace {

// Rewards 1 0 0 1: mean 1/2, unbiased variance 1/3. TRL (scale_rewards="group"): 0.5 / (sqrt(1/3) + 1e-4); verl: +
// 1e-6.
TEST(Published, AdvantagesOfTrlAndVerl) {
  const std::optional<double> rewards[] = {1, 0, 0, 1};
  const auto trl = group_advantages(rewards, {.baseline = GroupBaseline::kGrpo, .std_eps = 1e-4});
  const auto verl = group_advantages(rewards, {.baseline = GroupBaseline::kGrpo, .std_eps = 1e-6});
  EXPECT_NEAR(*trl[0], 0.8658754297, 1e-10);
  EXPECT_NEAR(*trl[1], -0.8658754297, 1e-10);
  EXPECT_NEAR(*verl[0], 0.8660239038, 1e-10);
}

// TRL leaves a row that is None out of the mean, with advantage 0. Here it has none, so that its tokens count nowhere.
TEST(Published, ARowWithoutARewardLeavesTheMean) {
  const std::optional<double> rewards[] = {1, std::nullopt, 0};
  const auto advantages = group_advantages(rewards, {.baseline = GroupBaseline::kGrpo, .std_eps = 1e-4});
  EXPECT_NEAR(*advantages[0], 0.5 / (0.7071067811865476 + 1e-4), 1e-12);
  EXPECT_FALSE(advantages[1].has_value());
}

// verl gives a group of one its reward (mean 0, std 1), TRL 0.
TEST(Published, AGroupOfOneTeachesNothing) {
  const std::optional<double> rewards[] = {3};
  EXPECT_EQ(*group_advantages(rewards, {.baseline = GroupBaseline::kGrpo})[0], 0);
}

// Reward 1 at the last of three tokens, values 0.2 0.5 0.4, gamma 1, lambda 0.95. From behind: 1 - 0.4 = 0.6;
// 0.4 - 0.5 + 0.95 * 0.6 = 0.47; 0.5 - 0.2 + 0.95 * 0.47 = 0.7465. Returns are these plus the values. Whitened: mean
// 0.6055, unbiased variance 0.01913575, over its root with 1e-8 inside. A masked token with a value of 7 in between
// changes nothing.
TEST(Published, GaeOfVerl) {
  const std::vector<double> rewards = {0, 0, 0, 1};
  const std::vector<double> values = {0.2, 7, 0.5, 0.4};
  const std::vector<uint8_t> mask = {1, 0, 1, 1};
  const Gae result = gae({.rewards = rewards, .values = values, .is_model_token = mask},
                         {.gamma = 1, .lambda_actor = 0.95, .lambda_critic = 0.95});
  const double advantages[] = {0.7465, 0, 0.47, 0.6};
  const double returns[] = {0.9465, 0, 0.97, 1};
  const double white[] = {1.0192865, 0, -0.9795271, -0.0397594};
  const auto whitened_advantages = whitened(result.advantages, mask, moments_of(result.advantages, mask));
  for (size_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(result.advantages[t], advantages[t], 1e-12);
    EXPECT_NEAR(result.targets[t], returns[t], 1e-12);
    EXPECT_NEAR(whitened_advantages[t], white[t], 1e-7);
  }
}

}  // namespace
}  // namespace stitch::rl
