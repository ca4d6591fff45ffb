// SPDX-License-Identifier: Apache-2.0
// Reads the choices in plan.json (graph, steps, settings) and computes everything else in the plan from them.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

Result<Plan> read_plan(const Json& json);

// Whether the file says where boundaries are and leaves everything that follows to us.
bool is_to_be_cut(const Json& json);

}  // namespace stitch::plan
