// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/handed_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

constexpr size_t kHandedElements = 2000;

std::vector<double> drawn(unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(kHandedElements);
  for (double& value : values) {
    value = normal(random);
  }
  return values;
}

HostTensor tensor_of(const std::vector<double>& values, std::vector<int64_t> shape = {40, 50}) {
  return verify::float_reference(std::move(shape), values, values).native;
}

size_t handed(const std::vector<double>& got, const std::vector<double>& again) {
  const HostTensor left = tensor_of(drawn(98));
  const HostTensor right = tensor_of(drawn(99));
  return count_handed(tensor_of(got), tensor_of(again), {&left, &right});
}

std::vector<double> with_zeros(std::vector<double> values) {
  for (double& value : values) {
    value = std::max(value, 0.0);
  }
  return values;
}

TEST(HandedAnswersTest, AnAnswerToOtherContentsIsNotHanded) {
  EXPECT_EQ(handed(drawn(1), drawn(2)), 0u);
  EXPECT_EQ(handed(with_zeros(drawn(1)), with_zeros(drawn(2))), 0u);
}

TEST(HandedAnswersTest, TheSameOnceMoreIs) {
  EXPECT_GT(handed(drawn(1), drawn(1)), 1900u);
  EXPECT_GT(handed(with_zeros(drawn(1)), with_zeros(drawn(1))), 900u);
}

TEST(HandedAnswersTest, SoAreFewOfMany) {
  std::vector<double> again = drawn(2);
  const std::vector<double> got = drawn(1);
  std::copy_n(got.begin() + 300, 50, again.begin() + 300);
  EXPECT_EQ(handed(got, again), 0u);
  std::copy_n(got.begin() + 300, 150, again.begin() + 300);
  EXPECT_GE(handed(got, again), 140u);
}

TEST(HandedAnswersTest, WhatAKernelAddsToItDoesNotHideIt) {
  const std::vector<double> got = drawn(1);
  const std::vector<double> added = drawn(2);
  for (const double share : {1e-5, 0.05}) {
    std::vector<double> again = got;
    for (size_t i = 0; i < again.size(); ++i) {
      again[i] += share * added[i];
    }
    EXPECT_GT(handed(got, again), 1000u) << share;
  }
}

TEST(HandedAnswersTest, WhatIsTheSameForAllContentsIsNotCounted) {
  const HostTensor table = tensor_of(drawn(1));
  EXPECT_EQ(count_handed(table, table, {&table, &table}), 0u);
}

TEST(HandedAnswersTest, SmallOutputsAreCountedAsTheyAre) {
  const HostTensor got = tensor_of({1, 2, 3}, {3});
  const HostTensor again = tensor_of({1, 5, 3}, {3});
  const HostTensor other = tensor_of({4, 4, 3}, {3});
  EXPECT_EQ(count_handed(got, again, {&other, &other}), 1u);
}

TEST(HandedAnswersTest, NumbersAreTurnedRoundAndIntegersStay) {
  verify::OracleDraw draw;
  draw.inputs = {tensor_of({1, 2, 4}, {3})};
  const auto contents = altered_contents(draw);
  ASSERT_TRUE(contents);
  std::vector<double> values(3);
  verify::load_doubles(contents->inputs[0], 0, 3, values.data());
  EXPECT_EQ(values, (std::vector<double>{3, 1.5, 0.75}));
}

TEST(HandedAnswersTest, ZerosSayNothing) {
  verify::OracleDraw draw;
  draw.inputs = {tensor_of({0, 0, 4}, {3})};
  EXPECT_TRUE(altered_contents(draw));
  draw.inputs = {tensor_of({0, 0, 0}, {3})};
  EXPECT_FALSE(altered_contents(draw));
}

}  // namespace
}  // namespace stitch::evaluate
