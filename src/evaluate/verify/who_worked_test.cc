// SPDX-License-Identifier: Apache-2.0
// Calls of a ModelNew whose commands are done once more.
#include "evaluate/verify/who_worked.h"

#include <gtest/gtest.h>

#include <vector>

#include "verify/compare/test_tensors.h"

namespace stitch::evaluate {
namespace {

const std::vector<int64_t> kShape = {8, 16};

HostTensor filled(double value) {
  std::vector<double> values(128);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = value * static_cast<double>(i % 11 + 1);
  }
  return verify::float_tensor(kShape, values);
}

verify::OracleDraw draw_of_ones() {
  verify::OracleDraw draw;
  draw.inputs = {filled(1)};
  std::vector<double> truth(128);
  for (size_t i = 0; i < truth.size(); ++i) {
    truth[i] = 3.0 * static_cast<double>(i % 11 + 1);
  }
  draw.outputs = {verify::float_reference(kShape, truth, truth)};
  return draw;
}

// Its calls are right. What its commands give once more, and how a call ends that keeps memory apart, is said here.
struct Scripted final : Candidate {
  double once_more = 3;
  Ending apart = Ending::kOk;
  int calls_apart = 0;

  Result<CandidateOutcome> prepare(std::span<const HostTensor>) override { return CandidateOutcome{}; }
  Result<CandidateOutcome> run(const CandidateCall& call) override {
    CandidateOutcome outcome;
    outcome.outputs = {filled(3)};
    if (call.trial == CallTrial::kApart) {
      ++calls_apart;
      outcome.ending = apart;
      outcome.message = "host code wrote";
    }
    return outcome;
  }
  Result<CandidateOutcome> again(const ContentsAgain&) override {
    CandidateOutcome outcome;
    outcome.outputs = {filled(once_more)};
    return outcome;
  }
};

std::optional<Finding> asked(Scripted& candidate) {
  const WorkQuestion question{nullptr, MathMode::kFp32, nullptr, std::make_shared<ModuleAnswers>()};
  const auto result = run_and_ask(candidate, draw_of_ones(), {}, question).value();
  const auto* finding = std::get_if<Finding>(&result);
  return finding == nullptr ? std::nullopt : std::optional<Finding>(*finding);
}

TEST(WhoWorked, CommandsThatGiveTheAnswerOnceMoreAreAskedNothingElse) {
  Scripted candidate;
  EXPECT_FALSE(asked(candidate));
  EXPECT_EQ(candidate.calls_apart, 0);
}

TEST(WhoWorked, AHostThatWritesOverResultsIsFound) {
  Scripted candidate;
  candidate.once_more = 2;
  const auto finding = asked(candidate);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCheated);
  EXPECT_NE(finding->reason.find("over what kernels and copies left"), std::string::npos) << finding->reason;
}

// Chance decides which question comes first; what is told does not depend on it.
TEST(WhoWorked, WhatEndsTheCallThatKeepsMemoryApartIsToldInstead) {
  Scripted candidate;
  candidate.once_more = 2;
  candidate.apart = Ending::kCrashed;
  const auto finding = asked(candidate);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, VerdictKind::kCrashed);
  EXPECT_NE(finding->reason.find("host code wrote"), std::string::npos) << finding->reason;
  candidate.apart = Ending::kTimedOut;
  EXPECT_EQ(asked(candidate)->kind, VerdictKind::kCheated) << "a slow machine says nothing";
}

}  // namespace
}  // namespace stitch::evaluate
