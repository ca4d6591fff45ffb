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
  const ShapeDraws plan = plan_draws("declared shapes", program_of(1000), {.is_on_gpu = true});
  EXPECT_EQ(plan.bytes, 8000u);
  EXPECT_EQ(plan.draws_per_regime, kDrawsPerRegime);
  EXPECT_FALSE(plan.stay);
}

TEST(DrawPlan, OnAGpuLargeDrawsStayAndVeryLargeOnesAreFewer) {
  EXPECT_TRUE(plan_draws("", program_of(8 << 20), {.is_on_gpu = true}).stay);
  EXPECT_EQ(plan_draws("", program_of(8 << 20), {.is_on_gpu = true}).draws_per_regime, kDrawsPerRegime);
  EXPECT_EQ(plan_draws("", program_of(128 << 20), {.is_on_gpu = true}).draws_per_regime, 3);
  const ShapeDraws largest = plan_draws("", program_of(1610612736), {.is_on_gpu = true});
  EXPECT_EQ(largest.draws_per_regime, 1) << "of each of four regimes";
  EXPECT_EQ(largest.reason, "a call reads and writes 12.9 GB, and every element of it is compared in each draw");
}

TEST(DrawPlan, StatesAreUpdatedInBothWays) {
  verify::OracleProgram program = program_of(1610612736);
  program.states.push_back({"count", TensorRole::kState, {DataType::kInt64, {}}});
  EXPECT_EQ(plan_draws("", program, {.is_on_gpu = true}).draws_per_regime, 2);
}

TEST(DrawPlan, AHiddenShapeIsNeverDrawnMoreOftenThanAskedFor) {
  EXPECT_EQ(plan_draws("", program_of(1610612736), {.per_regime = 1, .is_on_gpu = true}).draws_per_regime, 1);
}

TEST(DrawPlan, DrawsForATimingAreHandedOverWhereTheyFitWithTheirReferences) {
  EXPECT_EQ(plan_draws("", program_of(8 << 20), {.is_on_gpu = true}).handed_over, 0);
  EXPECT_EQ(plan_draws("", program_of(8 << 20), {.is_on_gpu = true, .is_timed = true}).handed_over, 3);
  EXPECT_EQ(plan_draws("", program_of(64 << 20), {.is_on_gpu = true, .is_timed = true}).handed_over, 0);
}

TEST(DrawPlan, CallsThatAreMadeAgainHaveADrawWhateverItMakes) {
  const DrawUses repeated{.is_on_gpu = true, .is_repeated = true};
  EXPECT_EQ(plan_draws("", program_of(8 << 20), repeated).handed_over, 4);
  verify::OracleProgram outer = program_of(1 << 20);
  outer.outputs.front().type.shape = {1 << 20, 256};
  EXPECT_EQ(plan_draws("", outer, repeated).handed_over, 1);
  EXPECT_EQ(plan_draws("", program_of(64 << 20), repeated).handed_over, 0) << "none is repeated";
}

TEST(DrawPlan, ADrawThatTakesTheEmulatedDeviceLongIsMadeLessOften) {
  EXPECT_EQ(plan_draws("", program_of(8), {.emulated_seconds = 0.5}).draws_per_regime, kDrawsPerRegime);
  const ShapeDraws dear = plan_draws("", program_of(8), {.emulated_seconds = 1.5});
  EXPECT_EQ(dear.draws_per_regime, 2);
  EXPECT_EQ(dear.reason, "a draw is estimated to take the emulated device 1.5 s");
  EXPECT_EQ(plan_draws("", program_of(8), {.emulated_seconds = 50}).draws_per_regime, 1);
  verify::OracleProgram with_state = program_of(8);
  with_state.states.push_back({"count", TensorRole::kState, {DataType::kInt64, {}}});
  EXPECT_EQ(plan_draws("", with_state, {.emulated_seconds = 50}).draws_per_regime, 2) << "in place and beside";
  EXPECT_EQ(plan_draws("", program_of(8), {.is_on_gpu = true, .emulated_seconds = 50}).draws_per_regime,
            kDrawsPerRegime);
}

TEST(DrawPlan, OnACpuNothingStays) {
  const ShapeDraws plan = plan_draws("", program_of(1610612736), {});
  EXPECT_FALSE(plan.stay);
  EXPECT_EQ(plan.draws_per_regime, kDrawsPerRegime);
}

}  // namespace
}  // namespace stitch::evaluate
