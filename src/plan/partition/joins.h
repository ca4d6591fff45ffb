// SPDX-License-Identifier: Apache-2.0
// What steps that do the work of two have in common, whichever two these are.
#pragma once

#include <vector>

#include "plan/partition/partition.h"
#include "plan/plan.h"

namespace stitch::plan {

// Whose steps are joined: none by libraries, but where a plan is followed those that it has.
struct JoinChoice {
  const Plan* like;  // null: by what is expected
  bool may_join;

  JoinChoice(const PlanOptions& options, const Plan* kept);
};

// Whether `like` has a step like `both` that does the work of `part` too, by names: of a node of `graph`.
bool has_joined(const Plan& like, const ir::Graph& graph, const PlacedGroup& both, ir::NodeId part);

// Whether `both` and what is left of the steps that `part` would be joined with otherwise (in `otherwise`) are expected
// to take less time than `convolution` and those together.
bool is_faster_than(const std::vector<PlacedGroup>& otherwise, const PlacedGroup& both, const PlacedGroup& part,
                    const PlacedGroup& convolution, const std::vector<PlacedGroup>& groups, const PlanOptions& options);

}  // namespace stitch::plan
