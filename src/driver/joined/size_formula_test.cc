// SPDX-License-Identifier: Apache-2.0
#include "driver/joined/size_formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace stitch::driver {
namespace {

// x: 6 x 24, 5 x 24 and 9 x 32; w: 24, 24, 32 by 7.
const std::vector<KnownAxis> kAxes = {
    {{"x", 0}, {6, 5, 9}}, {{"x", 1}, {24, 24, 32}}, {{"w", 0}, {24, 24, 32}}, {{"w", 1}, {7, 7, 7}}};

std::string formula_of(const std::vector<int64_t>& wanted) {
  const std::optional<SizeFormula> found = formula_for(wanted, kAxes);
  std::string text = found.has_value() ? fmt::format("{}", found->bytes) : "none";
  for (size_t i = 0; found.has_value() && i < found->axes.size(); ++i) {
    text += fmt::format(" {}[{}]", found->axes[i].value, found->axes[i].axis);
  }
  return text;
}

TEST(SizeFormula, IsTheSimplestThatHoldsEverywhere) {
  EXPECT_EQ(formula_of({6, 5, 9}), "1 x[0]");
  EXPECT_EQ(formula_of({6 * 24, 5 * 24, 9 * 32}), "1 x[0] x[1]");
  EXPECT_EQ(formula_of({6 * 7, 5 * 7, 9 * 7}), "1 x[0] w[1]");
  EXPECT_EQ(formula_of({4 * 6 * 24, 4 * 5 * 24, 4 * 9 * 32}), "4 x[0] x[1]");
  EXPECT_EQ(formula_of({7, 7, 7}), "1 w[1]");
  EXPECT_EQ(formula_of({0, 0, 0}), "0");
  EXPECT_EQ(formula_of({1, 1, 1}), "1");
  EXPECT_EQ(formula_of({14, 14, 14}), "14");
}

TEST(SizeFormula, IsNoneWhereSomeSizeSaysOtherwise) {
  EXPECT_EQ(formula_of({6, 5, 8}), "none");
  EXPECT_EQ(formula_of({3, 2, 4}), "none");
  EXPECT_EQ(formula_of({6 * 24, 5 * 24, 9 * 31}), "none");
}

}  // namespace
}  // namespace stitch::driver
