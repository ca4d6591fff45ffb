// SPDX-License-Identifier: Apache-2.0
// What holds for every trajectory: the sum that the recursion stands for, its limits, and masked tokens that are not
// there.
#include "rl/value/gae.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rl/testing/stream.h"
#include "rl/value/moments.h"

namespace stitch::rl {
namespace {

using stitch::rl::testing::Stream;

struct Tokens {
  std::vector<double> rewards;
  std::vector<double> values;
  std::vector<uint8_t> mask;

  Trajectory trajectory(double value_after) const {
    return {.rewards = rewards, .values = values, .is_model_token = mask, .value_after = value_after};
  }
};

Tokens drawn_tokens(Stream& stream, int count) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) {
    tokens.rewards.push_back(stream.normal());
    tokens.values.push_back(stream.normal());
    tokens.mask.push_back(1);
  }
  return tokens;
}

TEST(Gae, IsTheDiscountedSumOfErrors) {
  Stream stream(1);
  for (int round = 0; round < 20; ++round) {
    const Tokens tokens = drawn_tokens(stream, 1 + stream.below(12));
    const GaeOptions options{
        .gamma = stream.uniform(), .lambda_actor = stream.uniform(), .lambda_critic = stream.uniform()};
    const double value_after = stream.normal();
    const Gae result = gae(tokens.trajectory(value_after), options);
    const auto count = tokens.values.size();
    for (size_t t = 0; t < count; ++t) {
      double actor = 0;
      double critic = 0;
      for (size_t k = t; k < count; ++k) {
        const double next = k + 1 < count ? tokens.values[k + 1] : value_after;
        const double error = tokens.rewards[k] + options.gamma * next - tokens.values[k];
        actor += std::pow(options.gamma * options.lambda_actor, static_cast<double>(k - t)) * error;
        critic += std::pow(options.gamma * options.lambda_critic, static_cast<double>(k - t)) * error;
      }
      EXPECT_NEAR(result.advantages[t], actor, 1e-12);
      EXPECT_NEAR(result.targets[t], critic + tokens.values[t], 1e-12);
    }
  }
}

TEST(Gae, WithLambdaOneTheTargetIsTheReturnWhateverTheCriticSays) {
  Stream stream(2);
  Tokens tokens = drawn_tokens(stream, 9);
  const Gae first = gae(tokens.trajectory(0), {.gamma = 0.9, .lambda_critic = 1});
  for (double& value : tokens.values) {
    value = 100 * stream.normal();
  }
  const Gae second = gae(tokens.trajectory(0), {.gamma = 0.9, .lambda_critic = 1});
  for (size_t t = 0; t < tokens.rewards.size(); ++t) {
    double sum = 0;
    for (size_t k = t; k < tokens.rewards.size(); ++k) {
      sum += std::pow(0.9, static_cast<double>(k - t)) * tokens.rewards[k];
    }
    EXPECT_NEAR(first.targets[t], sum, 1e-12);
    EXPECT_NEAR(second.targets[t], sum, 1e-11);
  }
}

TEST(Gae, MaskedTokensAnywhereChangeNothing) {
  Stream stream(3);
  for (int round = 0; round < 50; ++round) {
    const Tokens plain = drawn_tokens(stream, 1 + stream.below(8));
    GaeOptions options{.gamma = 0.97, .lambda_actor = 0.9, .lambda_critic = 0.99};
    if (round % 2 == 1) {
      options.adaptive_alpha = 0.4;
    }
    Tokens with_masked;
    std::vector<size_t> places;
    for (size_t t = 0; t <= plain.rewards.size(); ++t) {
      for (int extra = stream.below(4); extra > 0; --extra) {
        with_masked.rewards.push_back(0);
        with_masked.values.push_back(extra == 1 ? std::numeric_limits<double>::quiet_NaN() : 1e6 * stream.normal());
        with_masked.mask.push_back(0);
      }
      if (t < plain.rewards.size()) {
        places.push_back(with_masked.rewards.size());
        with_masked.rewards.push_back(plain.rewards[t]);
        with_masked.values.push_back(plain.values[t]);
        with_masked.mask.push_back(1);
      }
    }
    const Gae expected = gae(plain.trajectory(0.7), options);
    const Gae result = gae(with_masked.trajectory(0.7), options);
    size_t next = 0;
    for (size_t t = 0; t < with_masked.mask.size(); ++t) {
      const bool is_model_token = next < places.size() && places[next] == t;
      EXPECT_EQ(result.advantages[t], is_model_token ? expected.advantages[next] : 0);
      EXPECT_EQ(result.targets[t], is_model_token ? expected.targets[next] : 0);
      next += is_model_token ? 1 : 0;
    }
  }
}

TEST(Moments, OfPartsAreThoseOfTheWhole) {
  Stream stream(4);
  std::vector<double> all;
  Moments of_parts;
  for (int part = 0; part < 5; ++part) {
    std::vector<double> values;
    for (int i = stream.below(6); i > 0; --i) {
      values.push_back(1e6 + stream.normal());  // a sum of squares would have four digits left of their variance
      all.push_back(values.back());
    }
    of_parts = merged(of_parts, moments_of(values));
  }
  double mean = 0;
  for (const double value : all) {
    mean += (value - 1e6) / static_cast<double>(all.size());
  }
  double squares = 0;
  for (const double value : all) {
    squares += (value - 1e6 - mean) * (value - 1e6 - mean);
  }
  EXPECT_EQ(of_parts.count, static_cast<double>(all.size()));
  EXPECT_NEAR(of_parts.mean, 1e6 + mean, 1e-9);
  EXPECT_NEAR(of_parts.variance(), squares / static_cast<double>(all.size() - 1), 1e-8);
}

}  // namespace
}  // namespace stitch::rl
