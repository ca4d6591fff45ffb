// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/stack_choice.h"

#include <algorithm>
#include <limits>

#include "kernels/rnn/persistent_layer.h"
#include "kernels/rnn/recurrence.h"
#include "kernels/rnn/recurrent_stack.h"
#include "plan/partition/prices.h"
#include "plan/partition/states.h"

namespace stitch::plan {
namespace {

bool is_stack(const PlacedGroup& placed) { return placed.kernel->name() == std::string(kernels::kRecurrentStack); }

bool has_stack(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& step) { return step.skeleton == kernels::kRecurrentStack; });
}

// What all groups are expected to take with their best settings. Infinite where a recurrent layer's is a launch of each
// time step: waves then have fewer of them.
double us_of_all(const std::vector<PlacedGroup>& groups, const PlanOptions& options) {
  double sum = 0;
  for (const PlacedGroup& placed : groups) {
    if (placed.boundary >= 0) {
      continue;  // somebody's own code, the same either way
    }
    const ChosenStep chosen{placed.group, placed.kernel, placed.phase, {}};
    const Price best = prices(chosen, offered_settings(chosen, options), options).front();
    const bool is_layer = kernels::is_recurrent_layer(placed.group.root_node()) && !is_stack(placed);
    sum += is_layer && !kernels::is_persistent(best.cost.setting) ? std::numeric_limits<double>::infinity() : best.us;
  }
  return sum;
}

bool libraries_are_wanted(const PlanOptions& options) {
  return options.libraries == Libraries::kOn || options.form.style == Style::kByLibraries;
}

}  // namespace

Result<std::vector<PlacedGroup>> partition_with_stacks(ir::Graph& graph, const PlanOptions& options, const Plan* kept) {
  const Plan* like = options.like != nullptr ? options.like : kept;
  if (like != nullptr) {
    return partition_with_states(graph, options.boundaries, has_stack(*like) ? Stacks::kJoined : Stacks::kApart);
  }
  const ir::Graph original = graph;
  STITCH_ASSIGN(std::vector<PlacedGroup> joined, partition_with_states(graph, options.boundaries));
  if (libraries_are_wanted(options) || std::none_of(joined.begin(), joined.end(), is_stack)) {
    return joined;
  }
  ir::Graph other = original;
  STITCH_ASSIGN(const std::vector<PlacedGroup> apart, partition_with_states(other, options.boundaries, Stacks::kApart));
  if (!(us_of_all(apart, options) < us_of_all(joined, options))) {
    return joined;
  }
  graph = original;
  return partition_with_states(graph, options.boundaries, Stacks::kApart);
}

}  // namespace stitch::plan
