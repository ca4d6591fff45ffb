// SPDX-License-Identifier: Apache-2.0
#include "bench/figures/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace stitch::bench {
namespace {

TEST(Statistics, MeansOfLiteralNumbers) {
  EXPECT_DOUBLE_EQ(*arithmetic_mean(std::vector{1.0, 2.0, 0.0, 5.0}), 2.0);
  EXPECT_NEAR(*geometric_mean(std::vector{1.0, 2.0, 4.0}), 2.0, 1e-12);
}

TEST(Statistics, AMeanThatMeetsNoNumberRefuses) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(arithmetic_mean(std::vector{1.0, nan}).has_value());
  EXPECT_FALSE(geometric_mean(std::vector{1.0, infinity}).has_value());
  EXPECT_FALSE(geometric_mean(std::vector{1.0, 0.0}).has_value());
  EXPECT_FALSE(geometric_mean(std::vector{-1.0}).has_value());
  EXPECT_FALSE(bootstrap(std::vector{1.0, nan}, arithmetic_mean).has_value());
  EXPECT_FALSE(arithmetic_mean(std::vector<double>{}).has_value());
}

// Of all ways to draw k of the samples, the share with a good one among them.
double by_enumeration(int samples, int good, int k) {
  int drawn = 0;
  int with_good = 0;
  for (unsigned mask = 0; mask < (1U << samples); ++mask) {
    if (__builtin_popcount(mask) == k) {
      ++drawn;
      with_good += (mask & ((1U << good) - 1)) != 0 ? 1 : 0;
    }
  }
  return static_cast<double>(with_good) / drawn;
}

TEST(Statistics, PassAtKIsWhatEnumerationSays) {
  for (int samples = 1; samples <= 10; ++samples) {
    for (int good = 0; good <= samples; ++good) {
      for (int k = 1; k <= samples; ++k) {
        EXPECT_NEAR(pass_at_k(samples, good, k), by_enumeration(samples, good, k), 1e-12)
            << samples << " " << good << " " << k;
      }
    }
  }
  EXPECT_NEAR(pass_at_k(5, 1, 2), 0.4, 1e-12);
  EXPECT_NEAR(pass_at_k(200, 1, 100), 0.5, 1e-12);
}

TEST(Statistics, TheSameValuesHaveTheSameInterval) {
  const std::vector values = {0.0, 1.0, 1.0, 0.0, 1.0};
  const Interval first = *bootstrap(values, arithmetic_mean);
  const Interval second = *bootstrap(values, arithmetic_mean);
  EXPECT_DOUBLE_EQ(first.value, 0.6);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LT(first.low, 0.6);
  EXPECT_GT(first.high, 0.6);
}

TEST(Statistics, IntervalsCoverWhatTheySay) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(3.0, 1.0);
  int covered = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(80);
    for (double& value : values) {
      value = normal(random);
    }
    const Interval interval = *bootstrap(values, arithmetic_mean);
    covered += interval.low <= 3.0 && 3.0 <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kTrials, 0.95, 0.02);
}

}  // namespace
}  // namespace stitch::bench
