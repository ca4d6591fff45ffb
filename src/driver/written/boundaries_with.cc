// SPDX-License-Identifier: Apache-2.0
#include "driver/written/boundaries_with.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/group/group.h"

namespace stitch::driver {

std::vector<plan::Boundary> boundaries_with(const plan::Plan& plan, const plan::Boundary& added) {
  const std::set<std::string> taken(added.nodes.begin(), added.nodes.end());
  std::vector<plan::Boundary> boundaries;
  for (const plan::Boundary& boundary : plan.boundaries) {
    const bool shares = std::any_of(boundary.nodes.begin(), boundary.nodes.end(),
                                    [&](const std::string& node) { return taken.count(node) > 0; });
    if (!shares) {
      boundaries.push_back(boundary);
    }
  }
  boundaries.push_back(added);
  return boundaries;
}

Result<size_t> step_of(const plan::Plan& plan, const plan::Boundary& boundary) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const int own = plan.steps[i].boundary;
    if (own >= 0 && plan.boundaries[static_cast<size_t>(own)].nodes == boundary.nodes) {
      return i;
    }
  }
  return failure(ErrorCode::kInternal, "a plan lost the written step of " + boundary.nodes.front());
}

Result<std::vector<std::string>> boundary_nodes_of(const plan::Plan& plan, int step) {
  if (step < 0 || static_cast<size_t>(step) >= plan.steps.size()) {
    return failure(ErrorCode::kUsage, fmt::format("the plan has no step {}", step), {},
                   fmt::format("name a step from 0 to {}", plan.steps.size() - 1));
  }
  const plan::Step& asked = plan.steps[static_cast<size_t>(step)];
  if (asked.boundary >= 0) {
    return plan.boundaries[static_cast<size_t>(asked.boundary)].nodes;
  }
  // A view that the step stores is its own; one that it looks through may be another's as well.
  std::set<std::string> stored;
  for (const int result : asked.results) {
    stored.insert(plan.buffers[static_cast<size_t>(result)].name);
  }
  std::vector<std::string> nodes;
  for (const ir::NodeId id : asked.nodes) {
    const ir::Node& node = plan.graph.node(id);
    const std::string& name = plan.graph.value(node.outputs[0]).name;
    const bool is_repeated = kernels::is_view(node) || kernels::is_generated(node);
    if (!is_repeated || stored.count(name) > 0) {
      nodes.push_back(name);
    }
  }
  return nodes;
}

}  // namespace stitch::driver
