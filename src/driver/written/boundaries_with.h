// SPDX-License-Identifier: Apache-2.0
// The boundaries of a plan when one is added to them.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::driver {

// Code that a step has until somebody writes it; it is never built.
inline constexpr const char* kNoCode = "extern \"C\" int step_00(const StepArgs* args, cudaStream_t stream);\n";

// Those of `plan`, less the ones that share a node with `added`, then `added`.
std::vector<plan::Boundary> boundaries_with(const plan::Plan& plan, const plan::Boundary& added);

// The step of `plan` whose code is that of `boundary`, which is one of its boundaries.
Result<size_t> step_of(const plan::Plan& plan, const plan::Boundary& boundary);

// The nodes to ask for so that a boundary is what step `step` is now: without the views that it looks through.
Result<std::vector<std::string>> boundary_nodes_of(const plan::Plan& plan, int step);

}  // namespace stitch::driver
