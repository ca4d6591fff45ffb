// SPDX-License-Identifier: Apache-2.0
// Outputs of which a few elements are large and most are small, which a tile's budget says nothing about.
#include <gtest/gtest.h>

#include <cmath>

#include "verify/compare/compare_output.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

const std::vector<int64_t> kShape = {8, 512};

// One element of a row is 100; the others lie around 1e-7.
std::vector<double> right() {
  std::vector<double> values(8 * 512);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i % 512 == 0 ? 100.0 : 1e-7 * (1 + static_cast<double>(i % 7));
  }
  return values;
}

std::vector<double> scaled(std::vector<double> values, double factor, size_t step = 1) {
  for (size_t i = 0; i < values.size(); i += step) {
    values[i] *= values[i] > 1 ? 1 : factor;
  }
  return values;
}

// Its runs err by `relative` at the small elements, by 1e-5 at the large.
OutputReference reference(double relative) {
  std::vector<double> run = scaled(right(), 1 + relative);
  run[0] += 1e-5;
  OutputReference made = float_reference(kShape, right(), run);
  made.perturbed = {float_tensor(kShape, run), float_tensor(kShape, run)};
  return made;
}

OutputComparison compare(const OutputReference& reference, const std::vector<double>& got,
                         MathMode mode = MathMode::kFp32) {
  return compare_output(reference, float_tensor(kShape, got), mode);
}

TEST(SmallNumbers, AreAskedToBeRightForTheirSize) {
  const auto refusal = compare(reference(1e-6), scaled(right(), 0)).refusal;
  ASSERT_TRUE(refusal);
  EXPECT_EQ(message(*refusal, "output 0", kShape),
            "4088 of 4088 elements of output 0 between 5.96e-08 and 9.54e-07 are off by more than an eighth of their "
            "size, though the reference's own runs agree about them: got 0, expected 2e-07 at [0,1]");
}

TEST(SmallNumbers, MayLoseDigits) {
  EXPECT_FALSE(compare(reference(1e-6), scaled(right(), 1.1)).refusal);
  EXPECT_TRUE(compare(reference(1e-6), scaled(right(), 1.2)).refusal);
  EXPECT_TRUE(compare(reference(1e-6), scaled(right(), -1)).refusal);
}

TEST(SmallNumbers, OfWhichAFewAreLostAreRight) {
  EXPECT_FALSE(compare(reference(1e-6), scaled(right(), 0, 5)).refusal);
  EXPECT_TRUE(compare(reference(1e-6), scaled(right(), 0, 3)).refusal);
}

TEST(SmallNumbers, ThatTheReferenceDoesNotKnowMayBeAnything) {
  EXPECT_FALSE(compare(reference(0.01), scaled(right(), 0)).refusal);
}

TEST(SmallNumbers, ThatCoarserArithmeticOfTheModeDoesNotKnowMayBeAnything) {
  OutputReference made = reference(1e-6);
  made.tf32_runs = {float_tensor(kShape, scaled(right(), 1.01))};
  EXPECT_FALSE(compare(made, scaled(right(), 0), MathMode::kKernelBench).refusal);
}

TEST(SmallNumbers, BelowWhatDevicesFlushMayBeZero) {
  EXPECT_FALSE(compare(float_reference(kShape, scaled(right(), 1e-26), scaled(right(), 1e-26)),
                       scaled(right(), 0)).refusal);
}

}  // namespace
}  // namespace stitch::verify
