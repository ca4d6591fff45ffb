// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/compare_output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "verify/compare/constants.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = 0x1p-23;

// 256 elements of 1 whose native run is off by `native_error` in one element.
OutputReference ones(double native_error) {
  std::vector<double> truth(256, 1.0);
  std::vector<double> native = truth;
  native[7] += native_error;
  return float_reference({256}, truth, native);
}

bool accepted(const OutputReference& reference, const std::vector<double>& got, MathMode mode = MathMode::kFp32) {
  return !compare_output(reference, float_tensor(reference.type.shape, got), mode).refusal;
}

TEST(CompareOutput, TheToleranceIsFourErrorsAndFourRoundings) {
  const double native_error = 16 * kEpsilon;
  const OutputReference reference = ones(native_error);
  std::vector<double> got(256, 1.0);
  got[100] = 1.0 + 4 * native_error + 4 * kEpsilon;
  EXPECT_TRUE(accepted(reference, got));
  got[100] += kEpsilon;
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, AnExactReferenceLeavesFourRoundings) {
  const OutputReference reference = ones(0);
  std::vector<double> got(256, 1.0);
  got[0] = 1.0 + 4 * kEpsilon;
  EXPECT_TRUE(accepted(reference, got));
  got[0] = 1.0 + 5 * kEpsilon;
  EXPECT_FALSE(accepted(reference, got));
}

// The squares of these are beyond what a double holds.
TEST(CompareOutput, LargeDoublesHaveATolerance) {
  const std::vector<double> truth(256, 1e200);
  OutputReference reference = float_reference({256}, truth, truth);
  reference.type.dtype = DataType::kFloat64;
  reference.native = double_tensor({256}, truth);
  EXPECT_FALSE(compare_output(reference, double_tensor({256}, truth), MathMode::kFp32).refusal);
  std::vector<double> got = truth;
  got[3] = 3e200;
  EXPECT_TRUE(compare_output(reference, double_tensor({256}, got), MathMode::kFp32).refusal);
}

// The bound grows with the truth, never with what the candidate gives.
TEST(CompareOutput, TheCandidatesOwnMagnitudeLoosensNothing) {
  const OutputReference reference = ones(0);
  for (const double wrong : {2.0, 1e6, 1e30, -1e30}) {
    EXPECT_FALSE(accepted(reference, std::vector<double>(256, wrong))) << wrong;
  }
  std::vector<double> truth(256, 1.0);
  truth[3] = 1e6;  // a large element of the truth, in turn, is no excuse to lose it
  std::vector<double> got(256, 1.0);
  EXPECT_FALSE(accepted(float_reference({256}, truth, truth), got));
}

// A reference in the program's own precision is no truth: who is nearer to the fp64 value than it passes, and who errs
// as far on the other side as the reference does.
TEST(CompareOutput, ACandidateNearerToTheTruthThanTheReferenceIsAccepted) {
  const double native_error = 1e-3;  // of a long sum in fp32
  const OutputReference reference = ones(native_error);
  std::vector<double> got(256, 1.0);
  EXPECT_TRUE(accepted(reference, got));
  got[7] = 1.0 - native_error;
  EXPECT_TRUE(accepted(reference, got));
  got[7] = 1.0 - 6 * native_error;
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, EveryRunWidensTheBudget) {
  OutputReference reference = ones(0);
  std::vector<double> run(256, 1.0);
  run[3] = 1.0 + 8 * kEpsilon;
  std::vector<double> got(256, 1.0);
  got[200] = 1.0 + 32 * kEpsilon;
  EXPECT_FALSE(accepted(reference, got));
  reference.disturbed = {float_tensor({256}, run)};
  EXPECT_TRUE(accepted(reference, got));
}

TEST(CompareOutput, NanAndInfinityNeverPassForNumbers) {
  const OutputReference reference = ones(1.0);  // a huge budget changes nothing about patterns
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    std::vector<double> got(256, 1.0);
    got[255] = value;
    EXPECT_FALSE(accepted(reference, got)) << value;
    EXPECT_FALSE(accepted(reference, got, MathMode::kKernelBench)) << value;
  }
  EXPECT_FALSE(accepted(reference, std::vector<double>(256, kNan)));
}

TEST(CompareOutput, NonFiniteReferencesMustBeMatchedInKind) {
  std::vector<double> truth(256, 1.0);
  truth[0] = kInfinity;
  truth[1] = -kInfinity;
  truth[2] = kNan;
  const OutputReference reference = float_reference({256}, truth, truth);
  EXPECT_TRUE(accepted(reference, truth));
  for (size_t i = 0; i < 3; ++i) {
    std::vector<double> got = truth;
    got[i] = 1.0;
    EXPECT_FALSE(accepted(reference, got)) << i;
    got[i] = i == 0 ? -kInfinity : kInfinity;
    EXPECT_FALSE(accepted(reference, got)) << i;
  }
}

TEST(CompareOutput, ATruthBeyondTheTypesRangeIsInfinity) {
  std::vector<double> truth(256, 1.0);
  truth[9] = 1e39;
  std::vector<double> native(256, 1.0);
  native[9] = kInfinity;
  const OutputReference reference = float_reference({256}, truth, native);
  EXPECT_TRUE(accepted(reference, native));
  native[9] = 3e38;
  EXPECT_FALSE(accepted(reference, native));
}

TEST(CompareOutput, WhereTheNativeRunOverflowsACandidateMayTooOrBeRight) {
  std::vector<double> truth(256, 1.0);
  std::vector<double> native(256, 1.0);
  native[9] = kInfinity;
  const OutputReference reference = float_reference({256}, truth, native);
  EXPECT_TRUE(accepted(reference, native));
  EXPECT_TRUE(accepted(reference, truth));
  std::vector<double> got = truth;
  got[9] = kNan;
  EXPECT_FALSE(accepted(reference, got));
  const auto comparison = compare_output(reference, float_tensor({256}, native), MathMode::kFp32);
  EXPECT_EQ(comparison.statistics.ill_conditioned, 1);
}

TEST(CompareOutput, PerturbedRunsMoveByTheUnitOfTheInputs) {
  const std::vector<double> truth(256, 1.0);
  const std::vector<double> moved(256, 1.0 + 0.25);  // far beyond float32's own unit, 32 of bfloat16's
  OutputReference reference = float_reference({256}, truth, truth);
  reference.perturbed = {float_tensor({256}, moved)};
  const HostTensor got = float_tensor({256}, truth);
  EXPECT_EQ(compare_output(reference, got, MathMode::kFp32).statistics.ill_conditioned, 256);
  reference.input_epsilon = 1.0 / 128;
  EXPECT_EQ(compare_output(reference, got, MathMode::kFp32).statistics.ill_conditioned, 0);
}

TEST(CompareOutput, MinusZeroIsZero) {
  const std::vector<double> zeros(256, 0.0);
  EXPECT_TRUE(accepted(float_reference({256}, zeros, zeros), std::vector<double>(256, -0.0)));
}

TEST(CompareOutput, AllEqualOutputsAreJudgedRelativeToTheirValue) {
  const std::vector<double> truth(4096, 1e-20);
  const OutputReference reference = float_reference({4096}, truth, truth);
  EXPECT_TRUE(accepted(reference, truth));
  EXPECT_FALSE(accepted(reference, std::vector<double>(4096, 0.0)));
  EXPECT_FALSE(accepted(reference, std::vector<double>(4096, 1.0001e-20)));
}

TEST(CompareOutput, OneWrongElementInAMillionIsFoundAndNamed) {
  const int64_t rows = 1000;
  std::vector<double> truth(1000 * 1000);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (double& value : truth) {
    value = static_cast<float>(normal(random));
  }
  const OutputReference reference = float_reference({rows, 1000}, truth, truth);
  std::vector<double> got = truth;
  got[123456] += 1e-5;
  const auto comparison = compare_output(reference, float_tensor({rows, 1000}, got), MathMode::kFp32);
  ASSERT_TRUE(comparison.refusal.has_value());
  EXPECT_EQ(comparison.refusal->element, 123456);
  EXPECT_EQ(comparison.refusal->tile, 123);
  EXPECT_EQ(comparison.refusal->refused, 1);
  EXPECT_TRUE(comparison.statistics.kernelbench_rule_ok);
  EXPECT_NE(message(*comparison.refusal, "output 0", {rows, 1000}).find("the worst at [123,456]"), std::string::npos);
}

TEST(CompareOutput, LargeOutputsAreJudgedAsOneHoweverManyPiecesTheyHave) {
  const int64_t rows = 3000;
  const std::vector<double> truth(3000 * 1000, 1.0);
  std::vector<double> native = truth;
  for (size_t row = 0; row < 3000; ++row) {
    native[row * 1000] += 2 * kEpsilon;
  }
  const OutputReference reference = float_reference({rows, 1000}, truth, native);
  std::vector<double> got = truth;
  got[5] += 100 * kEpsilon;
  got[1'600'007] += 300 * kEpsilon;
  got[2'999'999] += 200 * kEpsilon;
  const auto comparison = compare_output(reference, float_tensor({rows, 1000}, got), MathMode::kFp32);
  ASSERT_TRUE(comparison.refusal.has_value());
  EXPECT_EQ(comparison.refusal->element, 1'600'007);
  EXPECT_EQ(comparison.refusal->refused, 3);
  EXPECT_EQ(comparison.statistics.elements, rows * 1000);
  EXPECT_EQ(comparison.statistics.ulps.maximum(), 300.0);
  EXPECT_NEAR(comparison.statistics.max_ratio, 4 * 300.0 / 12.0, 1e-6);
}

TEST(CompareOutput, SwappedTilesAreRefused) {
  std::vector<double> truth(2 * 256);
  for (size_t i = 0; i < truth.size(); ++i) {
    truth[i] = std::sin(static_cast<double>(i));
  }
  const OutputReference reference = float_reference({2, 256}, truth, truth);
  std::vector<double> got(truth.begin() + 256, truth.end());
  got.insert(got.end(), truth.begin(), truth.begin() + 256);
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, AnotherTilesErrorBuysNothing) {
  std::vector<double> truth(2 * 256, 1.0);
  std::vector<double> native = truth;
  native[0] = 1.01;
  const OutputReference reference = float_reference({2, 256}, truth, native);
  std::vector<double> got = truth;
  got[1] = 1.02;
  EXPECT_TRUE(accepted(reference, got));
  got[1] = 1.0;
  got[300] = 1.02;
  EXPECT_FALSE(accepted(reference, got));
}

// Tiles of 256: in the middle one of `tiles` a single element is not zero, all others are full of honest errors.
OutputReference mostly_dead_tile(int64_t tiles, double error, double lone_error) {
  std::vector<double> truth(static_cast<size_t>(tiles) * 256, 1.0);
  std::vector<double> native(truth.size(), 1.0 + error);
  const size_t dead = static_cast<size_t>(tiles) / 2 * 256;
  for (size_t i = dead; i < dead + 256; ++i) {
    truth[i] = native[i] = 0.0;
  }
  truth[dead] = 1.0;
  native[dead] = 1.0 + lone_error;
  return float_reference({tiles, 256}, truth, native);
}

TEST(CompareOutput, OneErringElementBorrowsTheErrorOfItsNeighbours) {
  const double error = 32 * kEpsilon;
  const OutputReference reference = mostly_dead_tile(5, error, kEpsilon);
  std::vector<double> got(5 * 256, 1.0);
  std::fill(got.begin() + 512, got.begin() + 768, 0.0);
  got[512] = 1.0 + 4 * error;
  EXPECT_TRUE(accepted(reference, got)) << "its own error, a unit, is luck";
  got[512] = 1.0 + 5 * error;
  EXPECT_FALSE(accepted(reference, got));
  got[512] = 1.0;
  got[600] = 5 * error;
  EXPECT_FALSE(accepted(reference, got)) << "a dead element of the same tile";
}

TEST(CompareOutput, ATileWithoutErrorsBorrowsNone) {
  const double error = 32 * kEpsilon;
  const OutputReference reference = mostly_dead_tile(5, error, 0.0);
  std::vector<double> got(5 * 256, 1.0);
  std::fill(got.begin() + 512, got.begin() + 768, 0.0);
  got[512] = 1.0 + error;
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, ADeadTileBorrows) {
  const double error = 32 * kEpsilon;
  std::vector<double> truth(3 * 256, 1.0);
  std::vector<double> native(truth.size(), 1.0 + error);
  std::fill(truth.begin() + 256, truth.begin() + 512, 0.0);
  std::fill(native.begin() + 256, native.begin() + 512, 0.0);
  const OutputReference reference = float_reference({3, 256}, truth, native);
  std::vector<double> got = truth;
  got[300] = 4 * error;
  EXPECT_TRUE(accepted(reference, got)) << "a ReLU's input just above zero";
  got[300] = 5 * error;
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, BorrowingEndsAtSteadyNumbers) {
  // The neighbours' 512 errors are enough; the tile beyond them, which errs far more, is not asked.
  OutputReference reference = mostly_dead_tile(5, 32 * kEpsilon, kEpsilon);
  std::vector<double> run(5 * 256, 1.0);
  std::fill(run.begin() + 512, run.begin() + 768, 0.0);
  run[0] = 2.0;
  run[512] = 1.0;
  reference.disturbed = {float_tensor({5, 256}, run)};
  std::vector<double> got = run;
  got[0] = 1.0;
  got[512] = 1.0 + 1000 * kEpsilon;
  EXPECT_FALSE(accepted(reference, got));
}

TEST(CompareOutput, KernelBenchModeNeedsBothItsOwnRuleAndTf32Class) {
  OutputReference reference = ones(0);
  std::vector<double> tf32(256, 1.0);
  tf32[5] += 2e-5;
  std::vector<double> got(256, 1.0);
  got[200] += 7e-5;
  EXPECT_FALSE(accepted(reference, got, MathMode::kKernelBench)) << "1e-4 alone is not enough";
  reference.tf32_runs = {float_tensor({256}, tf32)};
  EXPECT_TRUE(accepted(reference, got, MathMode::kKernelBench));
  EXPECT_FALSE(accepted(reference, got, MathMode::kFp32));
  got[200] = 1.0 + 9e-5;
  EXPECT_FALSE(accepted(reference, got, MathMode::kKernelBench)) << "beyond four times the error of TF32";
  tf32[5] += 1e-3;
  reference.tf32_runs = {float_tensor({256}, tf32)};
  EXPECT_TRUE(accepted(reference, got, MathMode::kKernelBench));
  got[200] = 1.0 + 3e-4;
  EXPECT_FALSE(accepted(reference, got, MathMode::kKernelBench)) << "beyond 1e-4 (1 + |native|)";
}

TEST(CompareOutput, KernelBenchModeTellsTheErrorByTheBudgetThatExplainsIt) {
  OutputReference reference = ones(1e-5);
  std::vector<double> tf32(256, 1.0);
  tf32[5] += 3e-5;
  reference.tf32_runs = {float_tensor({256}, tf32)};
  std::vector<double> got(256, 1.0);
  const auto told = [&](double error, MathMode mode) {
    got[200] = 1.0 + error;
    return compare_output(reference, float_tensor({256}, got), mode).statistics.max_ratio;
  };
  EXPECT_NEAR(told(3e-5, MathMode::kFp32), 3, 0.2);
  EXPECT_NEAR(told(3e-5, MathMode::kKernelBench), 1, 0.1);
  EXPECT_NEAR(told(1e-5, MathMode::kKernelBench), 1, 0.1) << "fp32's own, where that leaves room";
}

TEST(CompareOutput, HalfOutputsAreJudgedByTheirOwnRounding) {
  OutputReference reference = ones(0);
  reference.type.dtype = DataType::kFloat16;
  reference.native = half_tensor({256}, std::vector<uint16_t>(256, 0x3c00));
  std::vector<uint16_t> got(256, 0x3c00);
  got[10] = 0x3c04;  // 1 + 4 * 2^-10
  EXPECT_FALSE(compare_output(reference, half_tensor({256}, got), MathMode::kReduced).refusal);
  got[10] = 0x3c05;
  EXPECT_TRUE(compare_output(reference, half_tensor({256}, got), MathMode::kReduced).refusal);
}

TEST(CompareOutput, StatisticsAreMultiplesOfTheReferencesOwnError) {
  const double native_error = 10 * kEpsilon;
  const OutputReference reference = ones(native_error);
  std::vector<double> got(256, 1.0);
  got[100] = 1.0 + 11 * kEpsilon;  // E + eps * rms = 11 eps
  const auto comparison = compare_output(reference, float_tensor({256}, got), MathMode::kFp32);
  EXPECT_NEAR(comparison.statistics.max_ratio, 1.0, 1e-6);
  EXPECT_EQ(comparison.statistics.ulps.maximum(), 11.0);
  EXPECT_EQ(comparison.statistics.ulps.percentile(0.5), 0.0);
  EXPECT_EQ(comparison.statistics.elements, 256);
}

TEST(CompareOutput, IntegersAreExactAndIndicesGoByTheValueThere) {
  OutputReference exact = integer_reference({3}, {1, 2, 9007199254740993});
  EXPECT_FALSE(compare_output(exact, integer_tensor({3}, {1, 2, 9007199254740993}), MathMode::kFp32).refusal);
  EXPECT_TRUE(compare_output(exact, integer_tensor({3}, {1, 2, 9007199254740992}), MathMode::kFp32).refusal);

  OutputReference index = integer_reference({2}, {0, 2});
  index.kind = OutputKind::kIndex;
  index.index_source = IndexSource{double_tensor({2, 3}, {5, 5, 1, 0, 2, 7}), 1};
  EXPECT_FALSE(compare_output(index, integer_tensor({2}, {1, 2}), MathMode::kFp32).refusal) << "a tie";
  EXPECT_TRUE(compare_output(index, integer_tensor({2}, {2, 2}), MathMode::kFp32).refusal);
  EXPECT_TRUE(compare_output(index, integer_tensor({2}, {0, 3}), MathMode::kFp32).refusal) << "out of range";
  EXPECT_TRUE(compare_output(index, integer_tensor({2}, {0, -1}), MathMode::kFp32).refusal) << "out of range";
}

TEST(CompareOutput, SeveralIndicesOfALineGoByTheValueThere) {
  // The two largest of each column of [3, 2]: columns 4 6 6 and 1 9 5.
  OutputReference index = integer_reference({2, 2}, {1, 1, 2, 2});
  index.kind = OutputKind::kIndex;
  index.index_source = IndexSource{double_tensor({3, 2}, {4, 1, 6, 9, 6, 5}), 0, 2};
  EXPECT_FALSE(compare_output(index, integer_tensor({2, 2}, {1, 1, 2, 2}), MathMode::kFp32).refusal);
  EXPECT_FALSE(compare_output(index, integer_tensor({2, 2}, {2, 1, 1, 2}), MathMode::kFp32).refusal) << "a tie";
  EXPECT_TRUE(compare_output(index, integer_tensor({2, 2}, {1, 2, 2, 1}), MathMode::kFp32).refusal) << "swapped";
  EXPECT_TRUE(compare_output(index, integer_tensor({2, 2}, {1, 1, 2, 0}), MathMode::kFp32).refusal) << "the third";
}

TEST(CompareOutput, PositionsOfASortAreNamedOnceAndInOrderWhereThatIsPromised) {
  // Each column of [3, 2] in falling order: columns 6 4 6 and 1 9 9.
  OutputReference index = integer_reference({3, 2}, {0, 1, 2, 2, 1, 0});
  index.kind = OutputKind::kIndex;
  index.index_source = IndexSource{double_tensor({3, 2}, {6, 1, 4, 9, 6, 9}), 0, 3, true};
  const auto refused = [&](std::vector<int64_t> got) {
    const auto refusal = compare_output(index, integer_tensor({3, 2}, std::move(got)), MathMode::kFp32).refusal;
    return refusal ? refusal->refused : 0;
  };
  EXPECT_EQ(refused({0, 1, 2, 2, 1, 0}), 0);
  EXPECT_EQ(refused({2, 2, 0, 1, 1, 0}), 0) << "ties in another order";
  EXPECT_EQ(refused({0, 1, 0, 2, 1, 0}), 1) << "position 0 twice, as good a value as that at 2";
  index.index_source->stable = true;
  EXPECT_EQ(refused({0, 1, 2, 2, 1, 0}), 0);
  EXPECT_EQ(refused({2, 2, 0, 1, 1, 0}), 2) << "ties in another order";
}

TEST(CompareOutput, AnEmptyOutputIsAccepted) {
  const OutputReference reference = float_reference({0, 4}, {}, {});
  EXPECT_FALSE(compare_output(reference, float_tensor({0, 4}, {}), MathMode::kFp32).refusal);
}

// Of 40 tiles; the answer is off by `error` in one of them.
OutputComparison compared_as(Asked asked, double error, MathMode mode) {
  const std::vector<int64_t> shape = {40, 256};
  std::vector<double> truth;
  for (int i = 0; i < 40 * 256; ++i) {
    truth.push_back(1 + 0.5 * std::sin(i));
  }
  std::vector<double> native = truth;
  for (size_t i = 0; i < native.size(); ++i) {
    native[i] += 1e-6 * std::sin(3.0 * static_cast<double>(i));
  }
  OutputReference reference = float_reference(shape, truth, native);
  std::vector<double> got = native;
  for (size_t i = 0; i < 200; ++i) {
    got[5 * 256 + i] += error;
  }
  return compare_output(reference, float_tensor(shape, got), mode, {}, asked);
}

TEST(CompareOutput, WhetherItIsRefusedDoesNotHangOnWhatIsAsked) {
  for (const MathMode mode : {MathMode::kFp32, MathMode::kKernelBench}) {
    for (const double error : {0.0, 1e-6, 1e-4, 1.0, std::numeric_limits<double>::infinity()}) {
      const bool is_refused = compared_as(Asked::kReport, error, mode).refusal.has_value();
      EXPECT_EQ(is_refused, error > 1e-5) << error;
      EXPECT_EQ(compared_as(Asked::kRefusal, error, mode).refusal.has_value(), is_refused) << error;
      EXPECT_EQ(compared_as(Asked::kWhether, error, mode).refusal.has_value(), is_refused) << error;
    }
  }
  const OutputComparison all = compared_as(Asked::kReport, 1e-4, MathMode::kFp32);
  const OutputComparison refusal = compared_as(Asked::kRefusal, 1e-4, MathMode::kFp32);
  EXPECT_EQ(message(*all.refusal, "y", {40, 256}), message(*refusal.refusal, "y", {40, 256}));
}

}  // namespace
}  // namespace stitch::verify
