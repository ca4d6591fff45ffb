// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/drawn_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agents/planner/check_plan.h"

namespace stitch::agents {
namespace {

using Nodes = std::set<std::string>;

Nodes nodes_of(const std::vector<std::string>& nodes) { return {nodes.begin(), nodes.end()}; }

SubTask sub_task_of(const std::vector<std::string>& nodes, const ir::Graph& graph) {
  const Nodes names = nodes_of(nodes);
  std::vector<ir::NodeId> ids;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::NodeId node{static_cast<int32_t>(i)};
    if (names.contains(node_name(graph, node))) {
      ids.push_back(node);
    }
  }
  return {.name = nodes.size() > 1 ? fmt::format("{} to {}", nodes.front(), nodes.back()) : nodes.front(),
          .nodes = nodes,
          .contract = contract_of(graph, ids),
          .hint = "a group that was drawn and written in the workspace",
          .expected_gain = "what its steps hand to each other, and launches"};
}

}  // namespace

std::string group_of(const SubTask& sub_task, const SessionRecord& record) {
  const Nodes asked = nodes_of(sub_task.nodes);
  const auto found = std::find_if(record.groups.begin(), record.groups.end(),
                                  [&](const auto& each) { return nodes_of(each.second) == asked; });
  return sub_task.kind == SubTaskKind::kStep && found != record.groups.end() ? found->first : "";
}

bool has_new_groups(const State& state, const SessionRecord& record) {
  const auto has_one = [&](const PlanVersion& plan) {
    return std::any_of(plan.sub_tasks.begin(), plan.sub_tasks.end(),
                       [&](const SubTask& each) { return !group_of(each, record).empty(); });
  };
  return !record.groups.empty() && std::none_of(state.plans.begin(), state.plans.end(), has_one);
}

PlanVersion plan_with_groups(const State& state, const SessionRecord& record, const ir::Graph& graph) {
  const PlanVersion& before = state.plans.back();
  PlanVersion plan{.author = Author::kModel,
                   .summary = before.summary + "; groups as the session drew them",
                   .trigger = "the session took steps as groups",
                   .bottlenecks = before.bottlenecks,
                   .risks = before.risks};
  Nodes taken;
  for (const auto& [name, nodes] : record.groups) {
    plan.sub_tasks.push_back(sub_task_of(nodes, graph));
    taken.insert(nodes.begin(), nodes.end());
  }
  std::copy_if(before.sub_tasks.begin(), before.sub_tasks.end(), std::back_inserter(plan.sub_tasks),
               [&](const SubTask& each) {
                 return std::none_of(each.nodes.begin(), each.nodes.end(),
                                     [&](const std::string& node) { return taken.contains(node); });
               });
  plan.sub_tasks.resize(std::min(plan.sub_tasks.size(), static_cast<size_t>(state.limits.sub_tasks)));
  return plan;
}

}  // namespace stitch::agents
