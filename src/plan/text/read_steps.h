// SPDX-License-Identifier: Apache-2.0
// The choices in plan.json (graph, steps, settings) as a plan, with everything that follows from them worked out anew.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

Result<Plan> read_plan(const Json& json);

}  // namespace stitch::plan
