// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/lone_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "verify/compare/compare_output.h"
#include "verify/compare/constants.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr int64_t kRow = 256;  // one tile
constexpr double kError = 0x1p-10;

Refusal worst(double ratio) { return Refusal{0, 0, 0, 0, ratio, 1, 1}; }

// `tiles` tiles of ones, in each of which `erring` elements err in all four runs and many more hardly do, in tile
// `lucky` by a tenth as much.
OutputReference ones(int64_t tiles, int64_t erring, int64_t lucky = -1) {
  const std::vector<int64_t> shape = {tiles, kRow};
  const std::vector<double> truth(static_cast<size_t>(tiles * kRow), 1.0);
  std::vector<double> run = truth;
  for (int64_t tile = 0; tile < tiles; ++tile) {
    for (int64_t i = 0; i < kSteadyElements; ++i) {
      const double error = i < erring ? kError : kError / 1000;
      run[static_cast<size_t>(tile * kRow + i)] += tile == lucky ? error / 10 : error;
    }
  }
  OutputReference reference = float_reference(shape, truth, run);
  reference.perturbed = {float_tensor(shape, run), float_tensor(shape, run)};
  reference.disturbed = {float_tensor(shape, run)};
  return reference;
}

// With an element of each of the first tiles off by so many errors.
OutputComparison compare(const OutputReference& reference, const std::vector<double>& multiples) {
  std::vector<double> got(static_cast<size_t>(reference.type.element_count()), 1.0);
  for (size_t tile = 0; tile < multiples.size(); ++tile) {
    got[tile * kRow + 100] += multiples[tile] * kError;
  }
  return compare_output(reference, float_tensor(reference.type.shape, got), MathMode::kFp32);
}

// The multiple whose chance is what the `rank`-th of `tiles` may have.
double multiple(int64_t rank, int64_t tiles) {
  double low = 1;
  double high = 1e6;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    (chance_beyond(middle) > least_chance(rank, tiles) ? low : high) = middle;
  }
  return std::max(kErrorMultiple, low);
}

TEST(LoneTiles, OneAmongManyMayErrMoreThanASecond) {
  EXPECT_NEAR(multiple(1, 20), 148.5, 0.1);
  EXPECT_NEAR(multiple(2, 20), 18.2, 0.1);
  EXPECT_NEAR(multiple(3, 20), 8.6, 0.1);
  EXPECT_EQ(multiple(6, 20), kErrorMultiple);
  EXPECT_LT(multiple(1, 1), multiple(1, 20));
}

TEST(LoneTiles, TheChanceIsTheOneStated) {
  // Large enough that it can be counted.
  for (const RunSpreads& spreads : {kEqualSpreads, RunSpreads{0.1, 0.2, 0.2, 1}}) {
    std::mt19937 source(7);
    std::normal_distribution<double> normal;
    constexpr int kTrials = 200000;
    int beyond = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      double largest = 0;
      for (const double spread : spreads) {
        largest = std::max(largest, std::fabs(spread * normal(source)));
      }
      beyond += std::fabs(normal(source)) > 3 * largest ? 1 : 0;
    }
    const double expected = chance_beyond(3, spreads) * kTrials;
    EXPECT_NEAR(beyond, expected, 4 * std::sqrt(expected));
  }
}

TEST(LoneTiles, TheBoundIsUsedWhereItIsTheChance) {
  EXPECT_NEAR(chance_beyond(15.99) / (kLoneTail / std::pow(15.99, 4)), 1, 0.02);
  EXPECT_DOUBLE_EQ(chance_beyond(100), kLoneTail / 1e8);
}

TEST(LoneTiles, WhatChanceDoesNotExplainIsRefusedWithAllThatIsLarger) {
  LoneTiles lone(20);
  lone.exceed(worst(5), chance_beyond(5));
  lone.exceed(worst(100), chance_beyond(100));
  EXPECT_TRUE(lone.refused().empty());
  LoneTiles later(20);
  later.exceed(worst(30), chance_beyond(30));
  lone.merge(later);
  EXPECT_EQ(lone.refused().size(), 2u);
  EXPECT_EQ(lone.exceeding(), 3);
  EXPECT_EQ(lone.largest(), 100);
}

TEST(LoneTiles, ANumberThatIsNoneIsRefused) {
  LoneTiles lone(1);
  lone.exceed(worst(std::nan("")), std::nan(""));
  EXPECT_EQ(lone.refused().size(), 1u);
}

TEST(LoneTiles, OneElementWhereFewErrIsAcceptedAndTold) {
  const OutputComparison accepted = compare(ones(72, 3), {4.19});
  EXPECT_FALSE(accepted.refusal);
  EXPECT_EQ(accepted.statistics.excused, 1);
  EXPECT_NEAR(accepted.statistics.max_excused, 4.19, 0.01);
  EXPECT_LT(accepted.statistics.max_ratio, kErrorMultiple);
  EXPECT_TRUE(compare(ones(72, 3), {1e4}).refusal);
}

// `elements` of the first tile are off by so many errors, where 64 of each tile err alike.
OutputComparison compare_elements(double multiple, size_t elements) {
  const OutputReference reference = ones(72, 64);
  std::vector<double> got(72 * kRow, 1.0);
  for (size_t i = 0; i < elements; ++i) {
    got[100 + i] += multiple * kError;
  }
  return compare_output(reference, float_tensor(reference.type.shape, got), MathMode::kFp32);
}

TEST(LoneTiles, WhereManyErrOneElementMayStandOut) {
  EXPECT_EQ(compare_elements(4.19, 1).statistics.excused, 1);
  EXPECT_FALSE(compare_elements(3.9, 2).refusal);
  EXPECT_TRUE(compare_elements(4.19, 2).refusal);
  EXPECT_TRUE(compare_elements(1e4, 1).refusal);
}

// Rounding to the output's type is bounded: no run is small by chance.
TEST(LoneTiles, NothingStandsOutWhereErrorsAreRoundingOfTheOutput) {
  const std::vector<int64_t> shape = {72, kRow};
  const std::vector<double> truth(72 * kRow, 1.0);
  const std::vector<double> run(72 * kRow, 1 + 0x1p-23);
  OutputReference reference = float_reference(shape, truth, run);
  reference.perturbed = {float_tensor(shape, run), float_tensor(shape, run)};
  reference.disturbed = {float_tensor(shape, run)};
  std::vector<double> got = truth;
  got[100] += 16 * 0x1p-23;
  EXPECT_TRUE(compare_output(reference, float_tensor(shape, got), MathMode::kFp32).refusal);
}

// The largest error of five draws of four runs is small by chance far less often than that of one.
TEST(LoneTiles, ASmallOutputOfSeveralDrawsMayErrLittleMoreThanFour) {
  const OutputReference reference = [] {
    OutputReference one = float_reference({}, {1.0}, {1 + kError});
    one.perturbed = {one.native, one.native};
    one.disturbed = {one.native};
    return one;
  }();
  const auto judged = [&](double multiple, int draws) {
    const SmallOutputErrors errors{kError, kError, kError, draws};
    return compare_output(reference, float_tensor({}, {1 + multiple * kError}), MathMode::kFp32, errors).refusal;
  };
  EXPECT_FALSE(judged(4.2, 5));
  EXPECT_TRUE(judged(16.8, 5));
  EXPECT_FALSE(judged(16.8, 1));
}

TEST(LoneTiles, ManySuchTilesAreNoChance) {
  EXPECT_TRUE(compare(ones(72, 3), std::vector<double>(20, 4.5)).refusal);
}

TEST(LoneTiles, MoreElementsThanErrInTheReferenceAreNoChance) {
  const OutputReference reference = ones(72, 3);
  std::vector<double> got(72 * kRow, 1.0);
  for (size_t i = 0; i < 8; ++i) {
    got[i] += 4.5 * kError;
  }
  EXPECT_TRUE(compare_output(reference, float_tensor(reference.type.shape, got), MathMode::kFp32).refusal);
}

// All elements of a row may share one error, which happens to be small in all runs.
TEST(LoneTiles, ATileThatErrsLittleByLuckHasTheErrorOfItsNeighbours) {
  EXPECT_EQ(compare(ones(40, 64, 0), {3.5}).statistics.excused, 0);
  EXPECT_EQ(compare(ones(40, 64, 0), {4.5}).statistics.excused, 1);
  EXPECT_EQ(compare(ones(20, 64, 0), {3.5}).statistics.excused, 1);  // too few of them to tell
}

TEST(LoneTiles, OfFewerRunsNothingIsKnown) {
  OutputReference reference = ones(72, 3);
  reference.disturbed.clear();
  EXPECT_TRUE(compare(reference, {4.5}).refusal);
}

}  // namespace
}  // namespace stitch::verify
