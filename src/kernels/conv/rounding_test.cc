// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/rounding.h"

#include <gtest/gtest.h>

namespace stitch::kernels {
namespace {

ConvolutionProblem problem_of(int64_t in_channels, int64_t groups) {
  ConvolutionProblem problem;
  problem.in_channels = in_channels;
  problem.groups = groups;
  return problem;
}

TEST(ConvolutionRounding, FollowsTheBaselinesLibraryInModeKernelbench) {
  EXPECT_EQ(operand_rounding(problem_of(9, 1), MathMode::kKernelBench), OperandRounding::kRequired);
  EXPECT_EQ(operand_rounding(problem_of(384, 1), MathMode::kKernelBench), OperandRounding::kRequired);
  EXPECT_EQ(operand_rounding(problem_of(8, 1), MathMode::kKernelBench), OperandRounding::kNone);
  EXPECT_EQ(operand_rounding(problem_of(3, 1), MathMode::kKernelBench), OperandRounding::kNone);
  EXPECT_EQ(operand_rounding(problem_of(64, 2), MathMode::kKernelBench), OperandRounding::kNone);
  EXPECT_EQ(operand_rounding(problem_of(64, 64), MathMode::kKernelBench), OperandRounding::kNone);
}

TEST(ConvolutionRounding, RoundsFewChannelsWhereTransposedOrInALargeWindow) {
  ConvolutionProblem problem = problem_of(3, 1);
  problem.window = {{7, 7}, {2, 2}, {3, 3}, {1, 1}};
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kRequired);
  problem.window.padding = {0, 0};
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kNone);
  problem.window = {{5, 7}, {2, 2}, {3, 3}, {1, 1}};
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kNone);
  problem.transposed = true;
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kRequired);
  problem.groups = 3;
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kNone);
}

TEST(ConvolutionRounding, RoundsVolumesOfEightChannelsThatMakeFew) {
  ConvolutionProblem problem = problem_of(8, 1);
  problem.window = {{3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  problem.out_channels = 32;
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kRequired);
  problem.out_channels = 64;
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kNone);
  problem = problem_of(3, 1);
  problem.window = {{3, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(operand_rounding(problem, MathMode::kKernelBench), OperandRounding::kNone);
}

TEST(ConvolutionRounding, IsTheModesOwnElsewhere) {
  for (const int64_t groups : {1, 64}) {
    EXPECT_EQ(operand_rounding(problem_of(64, groups), MathMode::kFp32), OperandRounding::kNone);
    EXPECT_EQ(operand_rounding(problem_of(64, groups), MathMode::kTf32), OperandRounding::kAllowed);
    EXPECT_EQ(operand_rounding(problem_of(64, groups), MathMode::kReduced), OperandRounding::kAllowed);
  }
}

}  // namespace
}  // namespace stitch::kernels
