// SPDX-License-Identifier: Apache-2.0
#include "artifact/report/feedback.h"

#include <gtest/gtest.h>

namespace stitch {
namespace {

TEST(Feedback, ACompilersWordsAreToldInFull) {
  const Verdict verdict{VerdictKind::kBuildFailed, "a.cu:3: no such variable", "a.cu:3: no such variable\na.cu:4: no"};
  EXPECT_EQ(feedback(verdict, 0), "It does not compile.\na.cu:3: no such variable\na.cu:4: no");
}

// Neither where, nor against what, nor on which data.
TEST(Feedback, OfAWrongAnswerOnlyHowWrong) {
  const Verdict verdict{VerdictKind::kWrong,
                        "312 of 65536 elements of output 0 refused, the worst at [3,17] (tile 0): got 1.5, expected "
                        "1.25, 31 times the reference's own error (4 allowed) (draw 2, regime sparse_extreme)",
                        "a table"};
  EXPECT_EQ(feedback(verdict, 31), "The answer is not accurate enough.");
  EXPECT_EQ(feedback(verdict, 310), "The answer is clearly less accurate than the reference.");
  EXPECT_EQ(feedback(verdict, 1e9), "The answer is not what the reference gives.");
  EXPECT_EQ(feedback(verdict, 0), "The answer is not right.");
}

TEST(Feedback, WhatGaveACheatAwayIsNotTold) {
  for (const VerdictKind kind : {VerdictKind::kCheated, VerdictKind::kInvalidTime}) {
    const Verdict verdict{kind, "the program wrote outside of its outputs in /tmp/x, seed 17", "more"};
    EXPECT_EQ(feedback(verdict, 17), "It breaks a rule of the task.");
  }
}

TEST(Feedback, EveryVerdictHasOne) {
  for (int kind = 0; kind <= static_cast<int>(VerdictKind::kUnsupported); ++kind) {
    const std::string text = feedback({static_cast<VerdictKind>(kind), "reason 17", ""}, 0);
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.find("17") == std::string::npos, static_cast<VerdictKind>(kind) != VerdictKind::kBuildFailed)
        << text;
  }
}

}  // namespace
}  // namespace stitch
