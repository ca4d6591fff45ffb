// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/joins.h"

#include <algorithm>

#include "plan/partition/prices.h"

namespace stitch::plan {

JoinChoice::JoinChoice(const PlanOptions& options, const Plan* kept)
    : like(options.like != nullptr ? options.like : kept),
      may_join(like != nullptr || options.form.style != Style::kByLibraries) {}

bool has_joined(const Plan& like, const ir::Graph& graph, const PlacedGroup& both, ir::NodeId part) {
  const auto name_of = [](const ir::Graph& of, ir::NodeId node) -> const std::string& {
    return of.value(of.node(node).outputs[0]).name;
  };
  return std::any_of(like.steps.begin(), like.steps.end(), [&](const Step& step) {
    return step.skeleton == both.kernel->name() && name_of(like.graph, step.root) == name_of(graph, both.group.root) &&
           std::any_of(step.nodes.begin(), step.nodes.end(),
                       [&](ir::NodeId node) { return name_of(like.graph, node) == name_of(graph, part); });
  });
}

bool is_faster_than(const std::vector<PlacedGroup>& otherwise, const PlacedGroup& both, const PlacedGroup& part,
                    const PlacedGroup& convolution, const std::vector<PlacedGroup>& groups,
                    const PlanOptions& options) {
  const auto other = std::find_if(otherwise.begin(), otherwise.end(),
                                  [&](const PlacedGroup& placed) { return placed.group.contains(part.group.root); });
  double together = expected_us(both, options);
  for (const PlacedGroup& placed : groups) {
    if (&placed != &part && other->group.contains(placed.group.root)) {
      together += expected_us(placed, options);
    }
  }
  return together < expected_us(convolution, options) + expected_us(*other, options);
}

}  // namespace stitch::plan
