// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/mixing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluate/verify/timed_subject.h"
#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

using verify::float_reference;
using verify::float_tensor;
using verify::OracleDraw;

using Tensors = std::vector<HostTensor>;

constexpr int64_t kMixedElements = 4096;

std::vector<double> values_of(const HostTensor& tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(values.size()), values.data());
  return values;
}

// y = 2 x, for a draw's x or any other.
OracleDraw doubled(const HostTensor& x) {
  std::vector<double> truth = values_of(x);
  for (double& value : truth) {
    value *= 2;
  }
  verify::OutputReference reference = float_reference({kMixedElements}, truth, truth);
  std::vector<double> moved = truth;
  for (double& value : moved) {
    value *= 1 + 0x1p-22;
  }
  reference.perturbed = {float_tensor({kMixedElements}, moved), float_tensor({kMixedElements}, moved)};
  OracleDraw draw;
  draw.outputs = {reference};
  return draw;
}

class MixingTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int number = 0; number < 3; ++number) {
      std::vector<double> x(kMixedElements);
      std::vector<double> mask(kMixedElements, 0.0);
      for (int64_t i = 0; i < kMixedElements; ++i) {
        x[static_cast<size_t>(i)] = number + 1 + 0x1p-6 * static_cast<double>(i % 7);
      }
      mask[static_cast<size_t>(number)] = -std::numeric_limits<double>::infinity();
      OracleDraw draw = doubled(float_tensor({kMixedElements}, x));
      draw.inputs = {float_tensor({kMixedElements}, x), verify::integer_tensor({2}, {number, 7}),
                     float_tensor({kMixedElements}, mask)};
      draw.states = {float_tensor({2}, {number + 0.5, 1})};
      draws.push_back(std::move(draw));
    }
    ask = [this](const Tensors& inputs, const Tensors& states) -> Result<OracleDraw> {
      ++asked;
      last_inputs = inputs;
      last_states = states;
      return doubled(inputs.at(0));
    };
  }

  std::optional<Mixing> find() { return find_mixing(draws, MathMode::kFp32, ask); }

  std::vector<OracleDraw> draws;
  AskReference ask;
  int asked = 0;
  Tensors last_inputs;
  Tensors last_states;
};

TEST_F(MixingTest, FiniteFloatsAreMixedAndAllElseComesWhole) {
  const auto mixing = find();
  ASSERT_TRUE(mixing.has_value());
  EXPECT_EQ(mixing->widths, (std::vector<uint64_t>{4, 0, 0, 4}));
  EXPECT_EQ(asked, 1);
  const std::vector<double> mixed = values_of(last_inputs.at(0));
  const std::vector<double> first = values_of(draws[0].inputs[0]);
  const std::vector<double> second = values_of(draws[1].inputs[0]);
  int of_first = 0;
  for (size_t i = 0; i < mixed.size(); ++i) {
    ASSERT_TRUE(mixed[i] == first[i] || mixed[i] == second[i]);
    of_first += mixed[i] == first[i] ? 1 : 0;
  }
  EXPECT_NEAR(of_first, kMixedElements / 2.0, 300);
  EXPECT_EQ(values_of(last_inputs.at(2)), values_of(draws[0].inputs[2]));
  EXPECT_EQ(last_states.size(), 1u);
}

TEST_F(MixingTest, TensorsThatMayBeOneAreNotMixedApart) {
  for (OracleDraw& draw : draws) {
    draw.inputs.push_back(draw.states[0]);
  }
  const auto mixing = find();
  ASSERT_TRUE(mixing.has_value());
  EXPECT_EQ(mixing->widths, (std::vector<uint64_t>{4, 0, 0, 0, 0}));
}

TEST_F(MixingTest, TheReferenceTakesNoMoreThanItsShareOfTheTime) {
  const auto quick = find();
  ASSERT_TRUE(quick.has_value());
  EXPECT_GE(quick->judged, 2);
  EXPECT_LE(quick->judged, 12);
}

TEST_F(MixingTest, TheJudgeAsksForTheseContentsAndRefusesOtherAnswers) {
  const auto mixing = find();
  ASSERT_TRUE(mixing.has_value());
  const Tensors inputs = draws[2].inputs;
  const auto right = mixing->judge(inputs, draws[2].states, {draws[2].outputs[0].native});
  ASSERT_TRUE(right.has_value());
  EXPECT_TRUE(right->is_said);
  EXPECT_FALSE(right->wrong.has_value());
  EXPECT_EQ(values_of(last_inputs.at(0)), values_of(inputs[0]));
  const auto wrong = mixing->judge(inputs, draws[2].states, {draws[1].outputs[0].native});
  ASSERT_TRUE(wrong.has_value());
  EXPECT_TRUE(wrong->is_said);
  EXPECT_TRUE(wrong->wrong.has_value());
}

TEST_F(MixingTest, WhatTheReferenceDoesNotTakeIsNotMixed) {
  ask = [](const Tensors&, const Tensors&) -> Result<OracleDraw> {
    OracleDraw draw;
    draw.dropped = "the reference is not finite";
    return draw;
  };
  EXPECT_FALSE(find().has_value());
  ask = [](const Tensors&, const Tensors&) -> Result<OracleDraw> {
    return failure(ErrorCode::kEnvironment, "the oracle died");
  };
  EXPECT_FALSE(find().has_value());
  ask = {};
  EXPECT_FALSE(find().has_value());
}

// Where one ulp moves the answer of a mix by far, no program can be held to it.
TEST_F(MixingTest, AMixThatIsIllConditionedIsNone) {
  ask = [](const Tensors& inputs, const Tensors&) -> Result<OracleDraw> {
    OracleDraw draw = doubled(inputs.at(0));
    std::vector<double> far = values_of(draw.outputs[0].native);
    for (double& value : far) {
      value *= 1.5;
    }
    draw.outputs[0].perturbed = {float_tensor({kMixedElements}, far), float_tensor({kMixedElements}, far)};
    return draw;
  };
  EXPECT_FALSE(find().has_value());
}

TEST_F(MixingTest, AReferenceThatSaysNothingLaterSaysNothing) {
  const auto dropped = find_mixing(draws, MathMode::kFp32, [this](const Tensors& inputs, const Tensors&) {
    OracleDraw draw = doubled(inputs.at(0));
    if (++asked > 1) {
      draw.dropped = "not these";
    }
    return Result<OracleDraw>(draw);
  });
  ASSERT_TRUE(dropped.has_value());
  const auto said = dropped->judge(draws[0].inputs, draws[0].states, {draws[1].outputs[0].native});
  ASSERT_TRUE(said.has_value());
  EXPECT_FALSE(said->is_said);
}

TEST_F(MixingTest, DrawsThatHardlyDifferAreNotMixed) {
  draws[1].inputs[0] = draws[0].inputs[0];  // two are alike, though a third is not
  EXPECT_FALSE(find().has_value());
  EXPECT_EQ(asked, 0);
  draws.resize(1);
  EXPECT_FALSE(find().has_value());
}

TEST_F(MixingTest, ASubjectIsMixedWhereThereIsSomebodyToAsk) {
  EXPECT_TRUE(timed_subject(draws, MathMode::kFp32, ask)->mixing.has_value());
  EXPECT_FALSE(timed_subject(draws, MathMode::kFp32)->mixing.has_value());
}

}  // namespace
}  // namespace stitch::evaluate
