// SPDX-License-Identifier: Apache-2.0
// What a Planner answers, `stitchcuda.agent_plan/1`: reasons, then ordered sub-tasks, no code.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "agents/state/state.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

// Why an answer is no plan: sentences for whoever wrote it.
using Complaints = std::vector<std::string>;
inline constexpr size_t kMaxComplaints = 8;  // at once: more would not be read

// The JSON object in `answer`, which may stand between words or in a fence. Members that are missing, unknown or of
// another kind are complained of, all of them at once. Author and version are left to the caller.
std::variant<PlanVersion, Complaints> agent_plan_from_text(const std::string& answer);
Json agent_plan_to_json(const PlanVersion& plan);

}  // namespace stitch::agents
