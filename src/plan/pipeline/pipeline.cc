// SPDX-License-Identifier: Apache-2.0
// From a graph to a plan, top to bottom.
#include <numeric>

#include "plan/layout/channels_last.h"
#include "plan/partition/assemble.h"
#include "plan/partition/partition.h"
#include "plan/partition/states.h"
#include "plan/plan.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

Result<Plan> plan_of(ir::Graph graph, const PlanOptions& options) {
  STITCH_ASSIGN(const std::vector<PlacedGroup> groups, partition_with_states(graph));
  std::vector<ChosenStep> steps;
  for (const PlacedGroup& placed : groups) {
    steps.push_back({placed.group, placed.kernel, placed.phase, {}});
  }
  return assemble(graph, steps, options);
}

// Of a call: as measured where that was done, else as estimated.
double expected_us(const Plan& plan) {
  return std::accumulate(plan.steps.begin(), plan.steps.end(), 0.0, [](double sum, const Step& step) {
    return sum + (step.phase == Phase::kRun ? step.measured_us.value_or(step.estimated_us) : 0.0);
  });
}

}  // namespace

Result<Plan> make_plan(const ir::Graph& graph, const PlanOptions& options) {
  STITCH_TRY(check_plannable(graph));
  STITCH_ASSIGN(ir::Graph rewritten, rewrite(graph));
  const ChannelsLast kept = choose_channels_last(rewritten, options);
  if (kept.values.empty()) {
    return plan_of(std::move(rewritten), options);
  }
  STITCH_ASSIGN(ir::Graph with_kept, keep_channels_last(rewritten, kept));
  STITCH_ASSIGN(Plan plan, plan_of(std::move(with_kept), options));
  if (options.like != nullptr || options.libraries == Libraries::kOn) {
    return plan;
  }
  // What is saved between steps may be lost within them: small images leave reductions with few columns.
  STITCH_ASSIGN(Plan other, plan_of(std::move(rewritten), options));
  return expected_us(other) < expected_us(plan) ? other : plan;
}

}  // namespace stitch::plan
