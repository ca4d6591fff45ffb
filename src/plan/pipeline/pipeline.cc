// SPDX-License-Identifier: Apache-2.0
// From a graph to a plan, top to bottom.
#include "plan/layout/channels_last.h"
#include "plan/partition/assemble.h"
#include "plan/partition/partition.h"
#include "plan/partition/states.h"
#include "plan/plan.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {

Result<Plan> make_plan(const ir::Graph& graph, const PlanOptions& options) {
  STITCH_TRY(check_plannable(graph));
  STITCH_ASSIGN(ir::Graph rewritten, rewrite(graph));
  STITCH_ASSIGN(rewritten, keep_channels_last(rewritten, choose_channels_last(rewritten, options)));
  STITCH_ASSIGN(const std::vector<PlacedGroup> groups, partition_with_states(rewritten));
  std::vector<ChosenStep> steps;
  for (const PlacedGroup& placed : groups) {
    steps.push_back({placed.group, placed.kernel, placed.phase, {}});
  }
  return assemble(rewritten, steps, options);
}

}  // namespace stitch::plan
