// SPDX-License-Identifier: Apache-2.0
// Cuts a graph into groups, one kernel skeleton each. Every contraction, convolution, reduction, normalisation... is a
// root; pointwise work joins the root that makes its operand (epilogue) or, failing that, the one that reads its result
// (prologue); views are looked through and written to memory only where a skeleton cannot stride over them. Whether a
// group works is the template's own answer: it is asked to make the code.
#pragma once

#include <set>
#include <vector>

#include "kernels/template/kernel_template.h"
#include "plan/boundaries/fences.h"
#include "plan/plan.h"

namespace stitch::plan {

struct PlacedGroup {
  kernels::Group group;
  const kernels::KernelTemplate* kernel = nullptr;
  Phase phase = Phase::kRun;
  int boundary = -1;  // whose code it is
};

// Whether recurrent layers one above the other become one step.
enum class Stacks { kJoined, kApart };

// In an order in which they can run; the groups point into `graph`. Nodes in `alone` are views that are copied by a
// step of their own, after every other one. No group reaches over a fence.
Result<std::vector<PlacedGroup>> partition(const ir::Graph& graph, const std::set<ir::NodeId>& alone,
                                           const Fences& fences, Stacks stacks);

}  // namespace stitch::plan
