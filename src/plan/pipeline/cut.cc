// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/cut.h"

#include <algorithm>
#include <map>

#include "plan/partition/assemble.h"
#include "plan/partition/maps.h"
#include "plan/partition/moments.h"
#include "plan/partition/partition.h"
#include "plan/partition/pools.h"
#include "plan/partition/rewrites.h"
#include "plan/partition/stack_choice.h"

namespace stitch::plan {
namespace {

// What makes a step the same one in two plans: its kernel and its nodes' names.
std::vector<std::string> identity(const ir::Graph& graph, const std::string& skeleton,
                                  const std::vector<ir::NodeId>& nodes) {
  std::vector<std::string> names = {skeleton};
  for (const ir::NodeId node : nodes) {
    names.push_back(graph.value(graph.node(node).outputs[0]).name);
  }
  return names;
}

using StepsByIdentity = std::map<std::vector<std::string>, const Step*>;

StepsByIdentity steps_by_identity(const Plan* plan) {
  StepsByIdentity steps;
  if (plan == nullptr) {
    return steps;
  }
  for (const Step& step : plan->steps) {
    steps[identity(plan->graph, step.skeleton, step.nodes)] = &step;
  }
  return steps;
}

}  // namespace

Result<Plan> cut_graph(ir::Graph graph, const PlanOptions& options, const Plan* kept) {
  STITCH_ASSIGN(std::vector<PlacedGroup> groups, partition_with_stacks(graph, options, kept));
  STITCH_ASSIGN(const Fences fences, Fences::find(graph, options.boundaries));
  join_moments(graph, options, kept, fences, groups);
  join_maps(graph, options, kept, fences, groups);
  join_rewrites(graph, options, kept, fences, groups);
  join_pools(graph, options, kept, fences, groups);
  const StepsByIdentity known = steps_by_identity(kept);
  std::vector<ChosenStep> steps;
  for (const PlacedGroup& placed : groups) {
    steps.push_back({placed.group, placed.kernel, placed.phase, {}, placed.boundary});
    const auto found = known.find(identity(graph, placed.kernel->name(), placed.group.nodes));
    if (found != known.end() && placed.kernel->allows(placed.group, found->second->setting)) {
      steps.back().setting = found->second->setting;
    }
  }
  STITCH_ASSIGN(Plan plan, assemble(graph, steps, options));
  for (Step& step : plan.steps) {
    const auto found = known.find(identity(plan.graph, step.skeleton, step.nodes));
    if (found != known.end() && found->second->setting == step.setting) {
      step.measured_us = found->second->measured_us;
      step.alternatives = found->second->alternatives;
    }
  }
  return plan;
}

}  // namespace stitch::plan
