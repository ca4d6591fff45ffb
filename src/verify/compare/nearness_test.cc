// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/nearness.h"

#include <gtest/gtest.h>

#include <random>

#include "verify/compare/compare_output.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr size_t kElements = 1024;
constexpr double kRounding = 3e-3;  // of operands to TF32: beyond KernelBench's 1e-4
constexpr double kFlips = 2e-6;     // what a few operands make that are rounded to the other side

std::vector<double> with_noise(std::vector<double> values, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, size);
  for (double& value : values) {
    value += noise(random);
  }
  return values;
}

std::vector<double> ones() { return std::vector<double>(kElements, 1.0); }

// A baseline that rounds operands, with runs of its arithmetic that are `apart` from it and from each other.
OutputReference rounded_reference(double apart) {
  const std::vector<int64_t> shape = {kElements};
  const std::vector<double> fp32 = with_noise(ones(), 1e-7, 1);
  OutputReference reference = float_reference(shape, ones(), fp32);
  const std::vector<double> baseline = with_noise(ones(), kRounding, 2);
  reference.native_in_mode = float_tensor(shape, baseline);
  for (const unsigned seed : {3U, 4U, 5U}) {
    reference.tf32_runs.push_back(float_tensor(shape, with_noise(baseline, apart, seed)));
  }
  return reference;
}

std::vector<double> baseline_of(const OutputReference& reference) {
  std::vector<double> values(kElements);
  const auto* data = reinterpret_cast<const float*>(reference.native_in_mode->bytes().data());
  std::copy_n(data, kElements, values.begin());
  return values;
}

bool accepted(const OutputReference& reference, const std::vector<double>& got) {
  return !compare_output(reference, float_tensor({kElements}, got), MathMode::kKernelBench).refusal;
}

TEST(Nearness, WhatIsAsFarFromTheBaselineAsItsRunsAreIsTheBaselines) {
  for (const double apart : {kFlips, kRounding}) {
    const OutputReference reference = rounded_reference(apart);
    EXPECT_TRUE(accepted(reference, with_noise(baseline_of(reference), apart, 6))) << apart;
  }
}

TEST(Nearness, OtherRoundingsOfTheSameSizeAreNot) {
  const OutputReference reference = rounded_reference(kFlips);
  EXPECT_FALSE(accepted(reference, with_noise(ones(), kRounding, 6)));
  EXPECT_FALSE(accepted(reference, with_noise(baseline_of(reference), kRounding / 3, 6)));
}

TEST(Nearness, IsNotAskedForWhereNobodyKnowsWhatIsRounded) {
  OutputReference reference = rounded_reference(kFlips);
  reference.rounds_openly = true;
  EXPECT_TRUE(accepted(reference, with_noise(ones(), kRounding, 6)));
  EXPECT_FALSE(accepted(reference, with_noise(ones(), 10 * kRounding, 6)));
}

TEST(Nearness, TheRunsMayRoundWhatTheBaselineDoesNot) {
  OutputReference reference = rounded_reference(kFlips);
  const std::vector<double> rounded = with_noise(baseline_of(reference), kFlips, 6);
  reference.native_in_mode = reference.native;
  EXPECT_TRUE(accepted(reference, rounded));
}

TEST(Nearness, IsBesideTheBudgetNotInItsPlace) {
  const OutputReference reference = rounded_reference(kRounding);
  std::vector<double> got = with_noise(baseline_of(reference), kRounding, 6);
  for (size_t i = 0; i < kElements; i += 128) {
    got[i] += 30 * kRounding;
  }
  EXPECT_FALSE(accepted(reference, got));
}

TEST(Nearness, OtherDrawsOfASmallOutputCount) {
  const std::vector<double> baseline = {1.0, 2.0};
  const std::vector<double> got = {1.0, 2.001};
  Nearness nearness;
  nearness.observe(got, {baseline, baseline, baseline, baseline});
  EXPECT_EQ(nearness.apart(), 0.0);
  EXPECT_FALSE(nearness.holds(0));
  EXPECT_FALSE(nearness.holds(1e-4));
  EXPECT_TRUE(nearness.holds(2e-4));
}

TEST(Nearness, TooFewRunsSayNothing) {
  Nearness nearness;
  nearness.observe(std::vector<double>{1.0}, {std::vector<double>{1.0}, std::vector<double>{1.0}});
  EXPECT_FALSE(nearness.holds(1));
}

}  // namespace
}  // namespace stitch::verify
