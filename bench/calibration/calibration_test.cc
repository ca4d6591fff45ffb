// SPDX-License-Identifier: Apache-2.0
// The fast subset: short and middling sums, two draws. The whole table is made by the program `calibration`.
#include <gtest/gtest.h>

#include "calibration/measure.h"

namespace stitch::calibration {
namespace {

class Calibration : public testing::TestWithParam<int64_t> {};

TEST_P(Calibration, HonestKernelsAreAcceptedAndBugsRefused) {
  constexpr int kDraws = 2;
  constexpr uint64_t kSeed = 11;
  int honest = 0;
  int bugs = 0;
  for (const Family& family : all_families()) {
    for (const Row& row : measure(family, GetParam(), kDraws, kSeed)) {
      EXPECT_EQ(row.regimes_left_out, 0) << row.family << ", " << row.kernel;
      if (row.expectation != Expectation::kReported) {
        EXPECT_EQ(row.refused, row.expectation == Expectation::kBug)
            << row.family << ", " << row.kernel << ": " << row.ratio << " in regime " << row.regime;
      }
      honest += row.expectation == Expectation::kHonest ? 1 : 0;
      bugs += row.expectation == Expectation::kBug ? 1 : 0;
    }
  }
  EXPECT_GE(honest, 15);
  EXPECT_GE(bugs, 15);
}

INSTANTIATE_TEST_SUITE_P(Lengths, Calibration, testing::Values(64, 1024));

}  // namespace
}  // namespace stitch::calibration
