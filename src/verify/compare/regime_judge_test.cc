// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/regime_judge.h"

#include <gtest/gtest.h>

#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr double kEpsilon = 0x1p-23;

TEST(RegimeJudge, ASmallOutputsBudgetIsTheLargestOverItsRegime) {
  RegimeJudge judge(MathMode::kFp32);
  // The first draw's native run is right to the last bit by luck, the second's is 20 roundings off.
  const auto lucky = float_reference({}, {2.0}, {2.0});
  const auto usual = float_reference({}, {1.0}, {1.0 + 20 * kEpsilon});
  EXPECT_FALSE(judge.add_draw("draw 0", {lucky}, {float_tensor({}, {2.0 + 2 * 60 * kEpsilon})}));
  EXPECT_FALSE(judge.add_draw("draw 1", {usual}, {float_tensor({}, {1.0})}));
  EXPECT_FALSE(judge.finish());
  EXPECT_EQ(judge.statistics().front().second.elements, 2);
}

TEST(RegimeJudge, ASmallOutputBeyondItsBudgetIsRefusedWhenTheRegimeEnds) {
  RegimeJudge judge(MathMode::kFp32);
  const auto exact = float_reference({}, {2.0}, {2.0});
  EXPECT_FALSE(judge.add_draw("draw 0", {exact}, {float_tensor({}, {2.0})}));
  EXPECT_FALSE(judge.add_draw("draw 3", {exact}, {float_tensor({}, {2.001})}));
  const auto refused = judge.finish();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->draw, "draw 3");
  EXPECT_EQ(refused->output, "output 0");
}

TEST(RegimeJudge, ALargeOutputIsRefusedAtOnce) {
  RegimeJudge judge(MathMode::kFp32);
  const std::vector<double> truth(512, 1.0);
  const auto refused = judge.add_draw("draw 1", {float_reference({512}, truth, truth)},
                                      {float_tensor({512}, std::vector<double>(512, 0.0))});
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->message.rfind("512 of 512 elements of output 0 refused", 0), 0U) << refused->message;
}

TEST(RegimeJudge, OutputsThatOneUlpThrowsAboutAreIllConditioned) {
  std::vector<double> truth(2000, 1.0);
  auto reference = float_reference({2000}, truth, truth);
  std::vector<double> moved = truth;
  moved[0] = 1.0 + 1030 * kEpsilon;
  moved[1] = 1.0 + 1030 * kEpsilon;
  reference.perturbed = {float_tensor({2000}, moved)};
  RegimeJudge at_the_limit(MathMode::kFp32);
  EXPECT_FALSE(at_the_limit.add_draw("draw 0", {reference}, {float_tensor({2000}, truth)}));
  EXPECT_FALSE(at_the_limit.ill_conditioned()) << "two of two thousand is one in a thousand";
  moved[2] = 1.0 - 1030 * kEpsilon;
  reference.perturbed = {float_tensor({2000}, moved)};
  RegimeJudge beyond(MathMode::kFp32);
  EXPECT_FALSE(beyond.add_draw("draw 0", {reference}, {float_tensor({2000}, truth)}));
  EXPECT_EQ(beyond.ill_conditioned(), "output 0");
}

TEST(RegimeJudge, InARoundingModePerturbedRunsAreComparedWithEachOther) {
  const std::vector<double> truth(2000, 1.0);
  auto reference = float_reference({2000}, truth, truth);
  const std::vector<double> rounded(2000, 1.0 + 1e-3);
  reference.perturbed = {float_tensor({2000}, rounded), float_tensor({2000}, rounded)};
  for (const auto& [mode, steady] : {std::pair{MathMode::kFp32, false}, std::pair{MathMode::kTf32, true}}) {
    RegimeJudge judge(mode);
    EXPECT_FALSE(judge.add_draw("draw 0", {reference}, {float_tensor({2000}, truth)}));
    EXPECT_EQ(!judge.ill_conditioned(), steady) << to_string(mode);
  }
}

TEST(RegimeJudge, AFlippedIntegerIsIllConditionedAndMayHaveEitherValue) {
  auto reference = integer_reference({300}, std::vector<int64_t>(300, 1));
  std::vector<int64_t> flipped(300, 1);
  flipped[5] = 0;
  reference.perturbed = {integer_tensor({300}, flipped)};
  RegimeJudge judge(MathMode::kFp32);
  EXPECT_FALSE(judge.add_draw("draw 0", {reference}, {integer_tensor({300}, flipped)}));
  EXPECT_EQ(judge.ill_conditioned(), "output 0") << "one of three hundred is more than one in a thousand";
}

// Ones, which operands rounded to TF32 move by `rounded` wherever the baseline rounds them.
OutputReference rounded_ones(double rounded) {
  const std::vector<double> baseline(2000, 1.0 + rounded);
  OutputReference reference = float_reference({2000}, std::vector<double>(2000, 1.0), std::vector<double>(2000, 1.0));
  reference.native_in_mode = float_tensor({2000}, baseline);
  reference.tf32_runs.assign(3, float_tensor({2000}, baseline));
  return reference;
}

TEST(RegimeJudge, ThreeDrawsFarFromTheBaselineAreRefused) {
  RegimeJudge judge(MathMode::kKernelBench);
  const OutputReference reference = rounded_ones(1e-2);
  const auto add = [&](double off) {
    return judge.add_draw("draw", {reference}, {float_tensor({2000}, std::vector<double>(2000, 1.0 + off))});
  };
  EXPECT_FALSE(add(2e-2));
  EXPECT_FALSE(add(2e-2)) << "the same again";
  EXPECT_FALSE(add(3e-2)) << "one of a hundred is";
  const auto refused = add(2.5e-2);
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->message.find("the baseline does not round these operands"), std::string::npos) << refused->message;
}

TEST(RegimeJudge, FewFarDrawsAmongManyAreNot) {
  RegimeJudge judge(MathMode::kKernelBench);
  const OutputReference reference = rounded_ones(1e-2);
  for (const double off : {1e-2, 1e-2, 1e-2, 2e-2, 2.5e-2, 3e-2}) {
    const HostTensor got = float_tensor({2000}, std::vector<double>(2000, 1.0 + off));
    EXPECT_FALSE(judge.add_draw("draw", {reference}, {got})) << off;
  }
}

TEST(RegimeJudge, BeyondTf32OneDrawIsEnough) {
  RegimeJudge judge(MathMode::kKernelBench);
  const HostTensor got = float_tensor({2000}, std::vector<double>(2000, 1.06));
  EXPECT_TRUE(judge.add_draw("draw", {rounded_ones(1e-2)}, {got}));
}

}  // namespace
}  // namespace stitch::verify
