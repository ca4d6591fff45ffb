// SPDX-License-Identifier: Apache-2.0
#include "agents/planner/plan_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/time/step_cost.h"
#include "driver/written/boundaries_with.h"
#include "driver/written/step_nodes.h"

namespace stitch::agents {
namespace {

std::optional<size_t> step_in(const plan::Plan& cut, const SubTask& sub_task, const std::vector<std::string>& nodes) {
  if (const std::optional<size_t> own = driver::step_with_nodes(cut, sub_task.nodes); own.has_value()) {
    return own;
  }
  return driver::step_with_nodes(cut, nodes);
}

}  // namespace

std::variant<PlanCost, Complaints> plan_cost(const PlanVersion& plan, const plan::Plan& expert) {
  std::vector<plan::Boundary> boundaries;
  std::vector<std::vector<std::string>> groups;
  for (const SubTask& each : plan.sub_tasks) {
    if (each.kind == SubTaskKind::kHost) {
      groups.emplace_back();
      continue;
    }
    groups.push_back(driver::without_shared_views(expert, each.nodes));
    if (!driver::step_with_nodes(expert, each.nodes).has_value()) {
      plan::Boundary& boundary = boundaries.emplace_back();
      boundary.nodes = groups.back();
      boundary.written = plan::WrittenCode{driver::kNoCode, plan::HoldsFor::kAnySizes, {}};
    }
  }
  const Result<plan::Plan> cut =
      boundaries.empty() ? Result<plan::Plan>(expert) : plan::with_boundaries(expert, std::move(boundaries));
  if (!cut.has_value()) {
    return Complaints{cut.error().message + (cut.error().remedy.empty() ? "" : ": " + cut.error().remedy)};
  }
  PlanCost cost{.modelled_us = cut->modelled_us};
  for (size_t i = 0; i < plan.sub_tasks.size(); ++i) {
    const std::optional<size_t> step = step_in(*cut, plan.sub_tasks[i], groups[i]);
    cost.floors_us.push_back(
        step.has_value() ? std::max(0.0, driver::counted_cost(*cut, static_cast<int>(*step)).floor_us) : 0.0);
  }
  return cost;
}

}  // namespace stitch::agents
