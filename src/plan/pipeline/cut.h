// SPDX-License-Identifier: Apache-2.0
// From a rewritten graph to a plan.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

// Cuts `graph` into steps within the options' boundaries, chooses settings and places buffers. Steps that `kept` has
// too, of the same nodes by name, keep its settings.
Result<Plan> cut_graph(ir::Graph graph, const PlanOptions& options, const Plan* kept = nullptr);

}  // namespace stitch::plan
