// SPDX-License-Identifier: Apache-2.0
#include "agents/run/floor.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"

namespace stitch::agents {
namespace {

plan::Plan plan_of(const char* graph) { return plan::make_plan(ir::parse(graph, "case").value(), {}).value(); }

TEST(Floor, IsWhatHasToBeMoved) {
  const plan::Plan plan = plan_of(R"(graph g mode=eval
x: f32[4096,4096] = input "x"
a = relu(x)
return output "0" = a
)");
  const double floor = floor_of(plan);
  EXPECT_GT(floor, 0.5 * plan.modelled_us);
  EXPECT_LT(floor, plan.modelled_us);
}

TEST(Floor, OfProgramsThatReadAPartIsNoMoreThanTheyTake) {
  const plan::Plan plan = plan_of(R"(graph g mode=eval
w: f32[400000,256] = parameter "w"
i: i64[4] = input "i"
y = embedding(w, i; padding_idx=-1)
return output "0" = y
)");
  EXPECT_LT(floor_of(plan), plan.modelled_us) << "the table alone takes longer";
}

}  // namespace
}  // namespace stitch::agents
