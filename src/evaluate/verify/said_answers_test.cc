// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/said_answers.h"

#include <gtest/gtest.h>

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

TEST(SaidAnswersTest, ElementsOfTheContentsAreTheHostsInTheCallThatHasThem) {
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(shifted_draw(1), {}));
  EXPECT_FALSE(answers.add(shifted_draw(2), {}));
  EXPECT_FALSE(answers.add(shifted_draw(3), elements_of(0, 63)));
  const auto finding = answers.add(shifted_draw(4), elements_of(0, 64));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCheated);
  EXPECT_NE(finding->reason.find("64 of 200 elements"), std::string::npos) << finding->reason;
}

TEST(SaidAnswersTest, WhatIsTheSameForAllContentsMayComeFromTheHost) {
  SaidAnswers answers;
  for (int shift = 0; shift < 5; ++shift) {
    EXPECT_FALSE(answers.add(shifted_draw(shift), elements_of(1, kSaidElements)));
  }
}

TEST(SaidAnswersTest, TheFirstCallWaitsForOtherContents) {
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(shifted_draw(1), elements_of(0, kSaidElements)));
  EXPECT_FALSE(answers.add(shifted_draw(1), {}));
  EXPECT_TRUE(answers.add(shifted_draw(2), {}));
}

TEST(SaidAnswersTest, SingleBytesOfAnElementAreNotTheElement) {
  std::vector<ResultPiece> pieces;
  for (uint64_t element = 0; element < kSaidElements; ++element) {
    pieces.push_back({0, element * sizeof(float), 2});
  }
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(shifted_draw(1), pieces));
  EXPECT_FALSE(answers.add(shifted_draw(2), pieces));
  for (ResultPiece& piece : pieces) {
    piece.bytes = 3;
  }
  EXPECT_TRUE(answers.add(shifted_draw(3), pieces));
}

TEST(SaidAnswersTest, BatchesAreHeldAgainstTheirOwnKind) {
  const auto of_another_batch = [](double first) {
    const std::vector<double> values(100, first);
    verify::OracleDraw draw;
    draw.outputs = {verify::float_reference({5, 20}, values, values)};
    return draw;
  };
  SaidAnswers answers;
  EXPECT_FALSE(answers.add(shifted_draw(1), {}));
  EXPECT_FALSE(answers.add(shifted_draw(2), {}));
  EXPECT_FALSE(answers.add(of_another_batch(1), elements_of(0, 100)));
  EXPECT_TRUE(answers.add(of_another_batch(2), {}));
}

}  // namespace
}  // namespace stitch::evaluate
