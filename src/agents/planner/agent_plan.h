// SPDX-License-Identifier: Apache-2.0
// What a Planner answers: reasons, then ordered sub-tasks, no code. One plan, `stitchcuda.agent_plan/1`, or up to four
// of them, `stitchcuda.agent_plans/1`.
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

inline constexpr size_t kMaxPlans = 4;  // of one answer

// The JSON object in `answer`, which may stand between words or in a fence. Members that are missing, unknown or of
// another kind are complained of, all of them at once. At least one plan; author and version are left to the caller.
std::variant<std::vector<PlanVersion>, Complaints> agent_plans_from_text(const std::string& answer);
Json agent_plan_to_json(const PlanVersion& plan);
Json agent_plans_to_json(const std::vector<PlanVersion>& plans);

}  // namespace stitch::agents
