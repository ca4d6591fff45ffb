// SPDX-License-Identifier: Apache-2.0
// Null candidates whose answers are within the budget of every element, and refused by what their draws have in common.
#include "verify/admission/live_null.h"

#include <gtest/gtest.h>

#include <cmath>

#include "verify/compare/elements.h"
#include "verify/compare/test_tensors.h"

namespace stitch::verify {
namespace {

std::vector<double> truth_of(int64_t count, int draw) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(3 * std::sin(static_cast<double>((i + 7 * draw) * i % 8191)) + 0.001);
  }
  return values;
}

HostTensor in_bfloat16(int64_t count, const std::vector<double>& values) {
  return convert(float_tensor({count}, values), {"tensor", TensorRole::kOutput, {DataType::kBfloat16, {count}}});
}

// Its runs err by up to six hundredths, either way: elements have a wide budget.
OutputReference reference_of(int64_t count, int draw) {
  OutputReference made = float_reference({count}, truth_of(count, draw), truth_of(count, draw));
  made.type.dtype = DataType::kBfloat16;
  const auto run = [&](int64_t number) {
    std::vector<double> values = truth_of(count, draw);
    for (int64_t i = 0; i < count; ++i) {
      values[static_cast<size_t>(i)] += 0.06 * std::sin(static_cast<double>(i * (2 * number + 3) % 8191));
    }
    return in_bfloat16(count, values);
  };
  made.native = run(0);
  made.perturbed = {run(1), run(2)};
  made.disturbed = {run(3)};
  return made;
}

// The null candidate that is right but for this factor, after `draws` of one regime.
NullResult judged(int64_t count, double factor, int draws) {
  LiveNull null({"N20", "N20", "too large", true}, 1);
  for (int draw = 0; draw < draws && !null.is_settled(); ++draw) {
    std::vector<OutputReference> references = {reference_of(count, draw)};
    std::vector<double> values = truth_of(count, draw);
    for (double& value : values) {
      value *= factor;
    }
    NullAnswer answer;
    answer.made = {in_bfloat16(count, values)};
    std::vector<SmallOutputErrors> errors(1);
    if (is_small(references[0])) {
      errors[0] = small_output_errors(references[0], MathMode::kFp32);
    }
    null.judge(references, answer, MathMode::kFp32, errors, "as_given", "draw " + std::to_string(draw), true);
  }
  return std::move(null).finish();
}

TEST(LiveNull, WhatErrsToOneSideIsRefusedByTwoDraws) {
  EXPECT_EQ(judged(8192, 1.02, 1).outcome, NullOutcome::kPassed);
  const NullResult found = judged(8192, 1.02, 2);
  EXPECT_EQ(found.outcome, NullOutcome::kRefused);
  EXPECT_NE(found.reason.find("on the whole"), std::string::npos) << found.reason;
  EXPECT_NE(found.reason.find("(draw 1)"), std::string::npos) << found.reason;
  EXPECT_EQ(judged(8192, 1.0, 5).outcome, NullOutcome::kPassed);
}

TEST(LiveNull, FewElementsAreTakenTogetherOverAllDraws) {
  const NullResult found = judged(40, 1.05, 5);
  EXPECT_EQ(found.outcome, NullOutcome::kRefused);
  EXPECT_NE(found.reason.find("regime as_given, all draws together"), std::string::npos) << found.reason;
  EXPECT_EQ(judged(40, 1.0, 5).outcome, NullOutcome::kPassed);
}

}  // namespace
}  // namespace stitch::verify
