// SPDX-License-Identifier: Apache-2.0
// Reads the choices in plan.json (graph, steps, settings) and computes everything else in the plan from them.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

Result<Plan> read_plan(const Json& json);

}  // namespace stitch::plan
