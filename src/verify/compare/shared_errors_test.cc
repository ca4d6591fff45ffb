// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/shared_errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "verify/compare/compare_output.h"
#include "verify/compare/lone_tiles.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr int64_t kRow = 256;  // one tile
constexpr double kError = 0x1p-12;

// An output of `tiles` rows of ones, whose errors are the sum of `numbers` random ones a row, each with a profile along
// the row that all runs share, as the rounding of a few large scores has in attention. Rows differ in the size of it.
class SharedOutput {
 public:
  SharedOutput(int64_t tiles, int numbers) : tiles_(tiles), numbers_(numbers) {}

  HostTensor run(double spread) {
    std::vector<double> values(static_cast<size_t>(tiles_ * kRow), 1.0);
    for (int64_t tile = 0; tile < tiles_; ++tile) {
      const double size = kError * std::exp2(static_cast<double>(tile * 7919 % 11) - 8);
      for (int number = 0; number < numbers_; ++number) {
        const double error = spread * normal_(source_) * size / std::sqrt(numbers_);
        for (int64_t i = 0; i < kRow; ++i) {
          values[static_cast<size_t>(tile * kRow + i)] += error * std::cos(static_cast<double>(i * (number + 1)));
        }
      }
    }
    return float_tensor({tiles_, kRow}, values);
  }

  OutputReference reference(const RunSpreads& spreads = kEqualSpreads) {
    const std::vector<double> truth(static_cast<size_t>(tiles_ * kRow), 1.0);
    OutputReference reference = float_reference({tiles_, kRow}, truth, truth);
    reference.native = run(spreads[0]);
    reference.perturbed = {run(spreads[1]), run(spreads[2])};
    reference.disturbed = {run(spreads[3])};
    return reference;
  }

 private:
  int64_t tiles_;
  int numbers_;
  std::mt19937 source_{11};
  std::normal_distribution<double> normal_;
};

OutputStatistics accepted(const OutputReference& reference, const HostTensor& got) {
  const OutputComparison compared = compare_output(reference, got, MathMode::kFp32);
  EXPECT_FALSE(compared.refusal.has_value()) << compared.refusal->ratio;
  return compared.statistics;
}

// The largest error of n rows grows with n: four times the reference's own is refused sooner or later.
TEST(SharedErrors, HonestRowsOfOneNumberAreAcceptedHoweverManyThereAre) {
  double last = 0;
  for (const int64_t tiles : {32, 512, 4096}) {
    SharedOutput output(tiles, 1);
    const OutputReference reference = output.reference();
    const OutputStatistics seen = accepted(reference, output.run(1));
    const double largest = std::max(seen.max_ratio, seen.max_excused);
    EXPECT_GT(largest, last);
    last = largest;
  }
  EXPECT_GT(last, kErrorMultiple);
}

TEST(SharedErrors, APlainLoopIsAcceptedWhereOnlyOneRunErrsAsItDoes) {
  SharedOutput output(4096, 1);
  const OutputReference reference = output.reference({0.1, 0.16, 0.16, 1});
  EXPECT_GT(accepted(reference, output.run(1)).excused, 40);
}

TEST(SharedErrors, RowsOfManyNumbersNeedNoExcuse) {
  SharedOutput output(512, 100);
  const OutputReference reference = output.reference();
  EXPECT_EQ(accepted(reference, output.run(1)).excused, 0);
  EXPECT_TRUE(compare_output(reference, output.run(6), MathMode::kFp32).refusal.has_value());
}

TEST(SharedErrors, ErrorsTenTimesAsLargeAreNoChance) {
  for (const int64_t tiles : {8, 512}) {
    SharedOutput output(tiles, 1);
    const OutputReference reference = output.reference();
    EXPECT_TRUE(compare_output(reference, output.run(10), MathMode::kFp32).refusal.has_value()) << tiles;
  }
}

TEST(SharedErrors, NumbersAreThoseThatTheRunsVaryBy) {
  for (const int numbers : {1, 4, 64}) {
    std::mt19937 source(3);
    std::normal_distribution<double> normal;
    const std::vector<double> zeros(kRow, 0.0);
    std::vector<RunOverlap> tiles;
    for (int tile = 0; tile < kTypicalTiles; ++tile) {
      std::vector<std::vector<double>> runs(kErrorRuns, zeros);
      for (auto& run : runs) {
        for (int i = 0; i < numbers; ++i) {
          run[static_cast<size_t>(i)] = (&run == &runs.back() ? 4 : 1) * normal(source);
        }
      }
      tiles.push_back(measure_overlap({zeros}, {runs.begin(), runs.end()}));
    }
    const SharedErrors shared = shared_errors({}, tiles);
    EXPECT_NEAR(shared.numbers / numbers, 1, 0.5);
    EXPECT_EQ(shared.spreads.back(), 1);
    EXPECT_NEAR(std::log2(shared.spreads.front() / 0.25), 0, 1);
  }
}

// Rounding to a 16-bit output errs alike in every run. It is no chance that it did.
TEST(SharedErrors, AnErrorThatAllRunsHaveIsNoNumberOfChance) {
  const std::vector<double> zeros(kRow, 0.0);
  const std::vector<double> run(kRow, kError);
  const RunOverlap overlap = measure_overlap({zeros}, {run, run, run, run});
  EXPECT_EQ(overlap.share, 0);
  EXPECT_EQ(shared_errors(overlap, std::vector{overlap}).numbers, std::numeric_limits<double>::infinity());
}

// P(largest of m > c * largest of 4 m others) for m equal normal numbers a run: what is left to 4 E where more numbers
// than kFewNumbers make an error, in an output of a billion elements.
TEST(SharedErrors, FourErrorsAreEnoughWhereMoreThanAFewNumbersErr) {
  constexpr double kStep = 0.002;
  double chance = 0;
  for (double x = kStep / 2; x < 14; x += kStep) {
    const double inside = std::erf(x / std::sqrt(2.0));
    const double density = kFewNumbers * std::pow(inside, kFewNumbers - 1) * std::sqrt(2 / M_PI) * std::exp(-x * x / 2);
    chance += density * std::pow(std::erf(x / kErrorMultiple / std::sqrt(2.0)), kErrorRuns * kFewNumbers) * kStep;
  }
  EXPECT_NEAR(chance, 1.8e-14, 0.1e-14);
  constexpr double kBillion = 1 << 30;
  EXPECT_LE(chance * kBillion / kTileMinimumElements, kRefusalChance);
}

// Attention of 32 x 32 x 512 rows of 1,024: where a row shares its error, two of them may err by 4.33 E and far more.
TEST(SharedErrors, TheBudgetOfHalfABillionElements) {
  constexpr int64_t kTiles = 32LL * 32 * 512;
  for (const int64_t rank : {1, 2}) {
    EXPECT_GE(chance_beyond(4.33), least_chance(rank, kTiles));
    EXPECT_GE(chance_beyond(200), least_chance(rank, kTiles));
  }
  EXPECT_GE(chance_beyond(4.33), least_chance(kTiles / 100, kTiles));
  EXPECT_LT(chance_beyond(4.33), least_chance(kTiles / 20, kTiles)) << "one row of twenty is no chance";
}

}  // namespace
}  // namespace stitch::verify
