// SPDX-License-Identifier: Apache-2.0
// What some tiles say alone, and when the others might turn it.
#include <gtest/gtest.h>

#include <algorithm>

#include "verify/compare/compare_output.h"
#include "verify/compare/constants.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

constexpr int64_t kTiles = 20;
constexpr int64_t kRow = 256;  // one tile
constexpr double kError = 0x1p-18;

std::vector<double> ones_off_by(double error, int64_t elements_of_a_tile) {
  std::vector<double> values(kTiles * kRow, 1.0);
  for (int64_t tile = 0; tile < kTiles; ++tile) {
    std::fill_n(values.begin() + tile * kRow, elements_of_a_tile, 1 + error);
  }
  return values;
}

// Ones, of which so many of a tile err in all runs, others hardly.
OutputReference ones(int64_t erring) {
  const std::vector<int64_t> shape = {kTiles, kRow};
  std::vector<double> run = ones_off_by(kError, kSteadyElements);
  for (int64_t i = 0; i < kTiles * kRow; ++i) {
    double& value = run[static_cast<size_t>(i)];
    value = value > 1 && i % kRow >= erring ? 1 + 0x1p-23 : value;
  }
  OutputReference reference = float_reference(shape, ones_off_by(0, 0), run);
  reference.perturbed = {float_tensor(shape, run), float_tensor(shape, run)};
  reference.disturbed = {float_tensor(shape, run)};
  return reference;
}

HostTensor off_in_the_first_tile(double error, int64_t elements) {
  std::vector<double> got = ones_off_by(0, 0);
  std::fill_n(got.begin(), elements, 1 + error);
  return float_tensor({kTiles, kRow}, got);
}

TEST(CompareTiles, ARefusedTileIsRefusedWhateverTheOthersAre) {
  const HostTensor got = off_in_the_first_tile(100 * kError, kRow);
  const OutputComparison part = compare_tiles(ones(kSteadyElements), got, MathMode::kFp32, {0, 7});
  ASSERT_TRUE(part.refusal.has_value());
  EXPECT_FALSE(part.hangs_on_others);
  EXPECT_EQ(part.statistics.elements, 2 * kRow);
}

TEST(CompareTiles, WhatOneAmongManyMayErrFollowsFromHowManyThereAre) {
  const OutputReference reference = ones(4);
  const HostTensor got = off_in_the_first_tile(130 * kError, 1);
  const OutputComparison part = compare_tiles(reference, got, MathMode::kFp32, {0});
  EXPECT_FALSE(part.refusal.has_value()) << "one of twenty, though it is judged alone";
  EXPECT_FALSE(part.hangs_on_others);
  EXPECT_FALSE(compare_output(reference, got, MathMode::kFp32).refusal.has_value());
}

TEST(CompareTiles, KernelBenchsOwnRuleLooksAtAllTiles) {
  OutputReference reference = ones(kSteadyElements);
  reference.native_in_mode = float_tensor({kTiles, kRow}, ones_off_by(10 * kError, kSteadyElements));
  reference.tf32_runs = {*reference.native_in_mode, *reference.native_in_mode, *reference.native_in_mode};
  std::vector<double> values = ones_off_by(10 * kError, kSteadyElements);
  EXPECT_TRUE(compare_tiles(reference, float_tensor({kTiles, kRow}, values), MathMode::kKernelBench, {0})
                  .hangs_on_others);
  values.front() = 2;
  const OutputComparison wrong =
      compare_tiles(reference, float_tensor({kTiles, kRow}, values), MathMode::kKernelBench, {0});
  EXPECT_TRUE(wrong.refusal.has_value());
  EXPECT_FALSE(wrong.hangs_on_others) << "neither of the two rules accepts it";
}

}  // namespace
}  // namespace stitch::verify
