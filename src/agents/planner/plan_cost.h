// SPDX-License-Identifier: Apache-2.0
// What a plan promises by the cost model, before anything of it is written.
#pragma once

#include <variant>
#include <vector>

#include "agents/planner/agent_plan.h"
#include "plan/plan.h"

namespace stitch::agents {

struct PlanCost {
  double modelled_us = 0;           // of a call
  std::vector<double> floors_us{};  // by sub-task: the same without launches; 0 for the host's
};

// Groups that are steps of the expert's plan cost what those do; any other group what one step would that reads its
// operands and writes its results once. Sentences where a group can be no step that somebody writes. The plan was found
// to cut the graph (check_plan.h).
std::variant<PlanCost, Complaints> plan_cost(const PlanVersion& plan, const plan::Plan& expert);

}  // namespace stitch::agents
