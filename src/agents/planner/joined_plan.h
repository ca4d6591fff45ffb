// SPDX-License-Identifier: Apache-2.0
// The expert's plan with two of its steps as one sub-task: what a Planner by rule has to say of groups.
#pragma once

#include <functional>
#include <optional>

#include "agents/planner/agent_plan.h"
#include "plan/plan.h"

namespace stitch::agents {

// Of steps of which one reads what the other makes, those two that would gain most by the cost model, if `can_write`
// says that somebody can write them in one piece. Nothing where no two would gain.
std::optional<PlanVersion> joined_plan(const plan::Plan& plan, const std::function<bool(const SubTask&)>& can_write);

}  // namespace stitch::agents
