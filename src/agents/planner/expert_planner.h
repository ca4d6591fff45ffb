// SPDX-License-Identifier: Apache-2.0
// The expert as Planner: its steps as sub-tasks, what takes longest first.
#pragma once

#include "agents/planner/agent_plan.h"
#include "plan/plan.h"

namespace stitch::agents {

// Of the plan's own graph. The floor of a step is the roofline without launches, on the device of the plan.
PlanVersion expert_agent_plan(const plan::Plan& plan);

}  // namespace stitch::agents
