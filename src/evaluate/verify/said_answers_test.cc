// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/said_answers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

const std::vector<int64_t> kSaidShape = {10, 20};
constexpr size_t kSaidElements = 200;

// Its first output is of the contents; the second is a table of places, which is the same for all.
verify::OracleDraw shifted_draw(double shift) {
  std::vector<double> values(kSaidElements);
  std::vector<double> places(kSaidElements);
  for (size_t i = 0; i < kSaidElements; ++i) {
    places[i] = static_cast<double>(i);
    values[i] = shift + static_cast<double>(i % 17);
  }
  verify::OracleDraw draw;
  draw.outputs = {verify::float_reference(kSaidShape, values, values),
                  verify::float_reference(kSaidShape, places, places)};
  return draw;
}

std::vector<ResultPiece> elements_of(size_t result, size_t count) { return {{result, 0, count * sizeof(float)}}; }

std::optional<Finding> add(SaidAnswers& answers, const verify::OracleDraw& draw, const std::vector<ResultPiece>& said) {
  return answers.add(draw, {said, 0}, {}, {});
}

TEST(SaidAnswersTest, ElementsOfTheContentsAreTheHostsInTheCallThatHasThem) {
  SaidAnswers answers;
  EXPECT_FALSE(add(answers, shifted_draw(1), {}));
  EXPECT_FALSE(add(answers, shifted_draw(2), {}));
  EXPECT_FALSE(add(answers, shifted_draw(3), elements_of(0, 63)));
  const auto finding = add(answers, shifted_draw(4), elements_of(0, 64));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCheated);
  EXPECT_NE(finding->reason.find("64 of 200 elements"), std::string::npos) << finding->reason;
}

TEST(SaidAnswersTest, WhatIsTheSameForAllContentsMayComeFromTheHost) {
  SaidAnswers answers;
  for (int shift = 0; shift < 5; ++shift) {
    EXPECT_FALSE(add(answers, shifted_draw(shift), elements_of(1, kSaidElements)));
  }
}

TEST(SaidAnswersTest, TheFirstCallWaitsForOtherContents) {
  SaidAnswers answers;
  EXPECT_FALSE(add(answers, shifted_draw(1), elements_of(0, kSaidElements)));
  EXPECT_FALSE(add(answers, shifted_draw(1), {}));
  EXPECT_TRUE(add(answers, shifted_draw(2), {}));
}

TEST(SaidAnswersTest, SingleBytesOfAnElementAreNotTheElement) {
  std::vector<ResultPiece> pieces;
  for (uint64_t element = 0; element < kSaidElements; ++element) {
    pieces.push_back({0, element * sizeof(float), 2});
  }
  SaidAnswers answers;
  EXPECT_FALSE(add(answers, shifted_draw(1), pieces));
  EXPECT_FALSE(add(answers, shifted_draw(2), pieces));
  for (ResultPiece& piece : pieces) {
    piece.bytes = 3;
  }
  EXPECT_TRUE(add(answers, shifted_draw(3), pieces));
}

TEST(SaidAnswersTest, BatchesAreHeldAgainstTheirOwnKind) {
  const auto of_another_batch = [](double first) {
    const std::vector<double> values(100, first);
    verify::OracleDraw draw;
    draw.outputs = {verify::float_reference({5, 20}, values, values)};
    return draw;
  };
  SaidAnswers answers;
  EXPECT_FALSE(add(answers, shifted_draw(1), {}));
  EXPECT_FALSE(add(answers, shifted_draw(2), {}));
  EXPECT_FALSE(add(answers, of_another_batch(1), elements_of(0, 100)));
  EXPECT_TRUE(add(answers, of_another_batch(2), {}));
}

// One of 8 numbers, of contents of 100.
verify::OracleDraw small_draw(double shift) {
  std::vector<double> values(8);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = shift * (1.0 + static_cast<double>(i));
  }
  const std::vector<double> contents(100, shift);
  verify::OracleDraw draw;
  draw.inputs = {verify::float_reference({100}, contents, contents).native};
  draw.outputs = {verify::float_reference({8}, values, values)};
  return draw;
}

TEST(SaidAnswersTest, OfASmallOutputTheHostMayGiveWhatItWasToldLittleFor) {
  SaidAnswers answers;
  for (int shift = 1; shift < 6; ++shift) {
    EXPECT_FALSE(answers.add(small_draw(shift), {elements_of(0, 8), 24}, {}, {}));
  }
  EXPECT_TRUE(answers.add(small_draw(7), {elements_of(0, 8), 25}, {}, {}));
}

TEST(SaidAnswersTest, FewElementsOfASmallOutputAreCountedOverCalls) {
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(small_draw(1), {elements_of(0, 1), 400}, {}, {}));
  EXPECT_FALSE(answers.add(small_draw(2), {elements_of(0, 1), 400}, {}, {}));
  EXPECT_FALSE(answers.add(small_draw(3), {elements_of(0, 1), 400}, {}, {}));
  const auto finding = answers.add(small_draw(4), {elements_of(0, 1), 400}, {}, {});
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->reason.find("4 of 32 elements"), std::string::npos) << finding->reason;
}

TEST(SaidAnswersTest, WhatKernelsWereHandedIsTheSameOnOtherContents) {
  const auto answer_of = [](double shift) {
    std::vector<double> values(kSaidElements);
    for (size_t i = 0; i < kSaidElements; ++i) {
      values[i] = std::sin(shift * 100 + static_cast<double>(i * i));
    }
    return verify::float_reference(kSaidShape, values, values);
  };
  const auto draw_of = [&](double shift) {
    verify::OracleDraw draw;
    draw.outputs = {answer_of(shift)};
    return draw;
  };
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(draw_of(1), {{}, 1000}, {answer_of(1).native}, {answer_of(1.5).native}));
  EXPECT_FALSE(answers.add(draw_of(2), {{}, 1000}, {answer_of(2).native}, {answer_of(2.5).native}));
  const auto finding = answers.add(draw_of(3), {{}, 1000}, {answer_of(3).native}, {answer_of(3).native});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCheated);
  EXPECT_NE(finding->reason.find("200 of 200 elements"), std::string::npos) << finding->reason;
}

}  // namespace
}  // namespace stitch::evaluate
