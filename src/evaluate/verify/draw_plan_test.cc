// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/draw_plan.h"

#include <gtest/gtest.h>

#include "base/json/json.h"

namespace stitch::evaluate {
namespace {

verify::OracleProgram program_of(int64_t elements) {
  verify::OracleProgram program;
  const TensorType type{DataType::kFloat32, {elements}};
  program.inputs.push_back({"x", TensorRole::kInput, type});
  program.outputs.push_back({"y", TensorRole::kOutput, type});
  return program;
}

TEST(DrawPlan, SmallProgramsAreDrawnAsOftenAsAskedFor) {
  const ShapeDraws plan = plan_draws("declared shapes", program_of(1000), true, kDrawsPerRegime);
  EXPECT_EQ(plan.bytes, 8000u);
  EXPECT_EQ(plan.draws_per_regime, kDrawsPerRegime);
  EXPECT_FALSE(plan.stay);
}

TEST(DrawPlan, OnAGpuLargeDrawsStayAndVeryLargeOnesAreFewer) {
  EXPECT_TRUE(plan_draws("", program_of(8 << 20), true, kDrawsPerRegime).stay);
  EXPECT_EQ(plan_draws("", program_of(8 << 20), true, kDrawsPerRegime).draws_per_regime, kDrawsPerRegime);
  EXPECT_EQ(plan_draws("", program_of(128 << 20), true, kDrawsPerRegime).draws_per_regime, 3);
  const ShapeDraws largest = plan_draws("", program_of(1610612736), true, kDrawsPerRegime);
  EXPECT_EQ(largest.draws_per_regime, 1) << "of each of four regimes";
  EXPECT_EQ(largest.reason, "a call reads and writes 12.9 GB, and every element of it is compared in each draw");
}

TEST(DrawPlan, StatesAreUpdatedInBothWays) {
  verify::OracleProgram program = program_of(1610612736);
  program.states.push_back({"count", TensorRole::kState, {DataType::kInt64, {}}});
  EXPECT_EQ(plan_draws("", program, true, kDrawsPerRegime).draws_per_regime, 2);
}

TEST(DrawPlan, AHiddenShapeIsNeverDrawnMoreOftenThanAskedFor) {
  EXPECT_EQ(plan_draws("", program_of(1610612736), true, 1).draws_per_regime, 1);
}

TEST(DrawPlan, OnACpuNothingStays) {
  const ShapeDraws plan = plan_draws("", program_of(1610612736), false, kDrawsPerRegime);
  EXPECT_FALSE(plan.stay);
  EXPECT_EQ(plan.draws_per_regime, kDrawsPerRegime);
}

}  // namespace
}  // namespace stitch::evaluate
