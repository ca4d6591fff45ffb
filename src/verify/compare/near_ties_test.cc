// SPDX-License-Identifier: Apache-2.0
// Outputs that depend on decisions within rounding: a second reference holds what the other decision gives.
#include <gtest/gtest.h>

#include "verify/compare/compare_output.h"
#include "verify/compare/regime_judge.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr int64_t kRows = 10;
constexpr int64_t kRow = 256;
constexpr int64_t kTied = 3;  // the row whose decision may fall either way

std::vector<double> rows(double tied) {
  std::vector<double> values(kRows * kRow, 1.0);
  std::fill_n(values.begin() + kTied * kRow, kRow, tied);
  return values;
}

OutputReference routed() {
  const std::vector<int64_t> shape = {kRows, kRow};
  OutputReference reference = float_reference(shape, rows(0.25), rows(0.25));
  reference.perturbed = {float_tensor(shape, rows(0.25)), float_tensor(shape, rows(0.25))};
  reference.otherwise = {double_tensor(shape, rows(-0.5))};
  return reference;
}

OutputComparison compare(const OutputReference& reference, const std::vector<double>& got) {
  return compare_output(reference, float_tensor(reference.type.shape, got), MathMode::kFp32);
}

TEST(NearTies, EitherDecisionIsRightAndItsElementsAreCounted) {
  for (const double tied : {0.25, -0.5}) {
    const OutputComparison result = compare(routed(), rows(tied));
    EXPECT_FALSE(result.refusal) << tied;
    EXPECT_EQ(result.statistics.either_way, kRow);
    EXPECT_LT(result.statistics.max_ratio, 1);
  }
}

TEST(NearTies, NeitherDecisionIsWrong) { EXPECT_TRUE(compare(routed(), rows(0)).refusal); }

TEST(NearTies, AnotherRowIsJudgedAsEver) {
  std::vector<double> got = rows(0.25);
  got[7 * kRow] = -0.5;
  EXPECT_TRUE(compare(routed(), got).refusal);
}

TEST(NearTies, ARunThatDecidesOtherwiseLoosensNothing) {
  OutputReference reference = routed();
  reference.perturbed[0] = float_tensor(reference.type.shape, rows(-0.5));
  EXPECT_FALSE(compare(reference, rows(-0.5)).refusal);
  EXPECT_TRUE(compare(reference, rows(0)).refusal);
  reference.otherwise.clear();
  EXPECT_FALSE(compare(reference, rows(0)).refusal);  // as any program that errs by as much itself
}

TEST(NearTies, ARunThatDecidesOtherwiseIsNotIllConditioned) {
  OutputReference reference = routed();
  reference.perturbed[0] = float_tensor(reference.type.shape, rows(-0.5));
  EXPECT_EQ(compare(reference, rows(0.25)).statistics.ill_conditioned, 0);
  reference.otherwise.clear();
  EXPECT_EQ(compare(reference, rows(0.25)).statistics.ill_conditioned, kRow);
}

TEST(NearTies, AnInfinityOfEitherDecisionIsRight) {
  const double infinity = std::numeric_limits<double>::infinity();
  OutputReference reference = routed();
  reference.otherwise = {double_tensor(reference.type.shape, rows(infinity))};
  EXPECT_FALSE(compare(reference, rows(infinity)).refusal);
  EXPECT_TRUE(compare(reference, rows(-infinity)).refusal);
  EXPECT_FALSE(compare(reference, rows(0.25)).refusal);
}

TEST(NearTies, IntegersOfEitherDecisionAreRight) {
  OutputReference reference = integer_reference({3}, {4, 5, 6});
  reference.otherwise = {integer_tensor({3}, {4, 9, 6})};
  const auto refused = [&](std::vector<int64_t> got) {
    return compare_output(reference, integer_tensor({3}, got), MathMode::kFp32).refusal.has_value();
  };
  EXPECT_FALSE(refused({4, 5, 6}));
  EXPECT_FALSE(refused({4, 9, 6}));
  EXPECT_TRUE(refused({4, 7, 6}));
  EXPECT_TRUE(refused({9, 5, 6}));
}

}  // namespace
}  // namespace stitch::verify
