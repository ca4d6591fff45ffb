// SPDX-License-Identifier: Apache-2.0
#include "agents/planner/joined_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "agents/planner/plan_cost.h"
#include "driver/written/step_nodes.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxPairs = 24;  // that are looked at, by their time together: each is a plan of its own

struct Pair {
  size_t first = 0;
  size_t second = 0;
  double us = 0;
};

std::vector<Pair> pairs_of(const plan::Plan& plan) {
  std::vector<Pair> pairs;
  for (size_t second = 0; second < plan.steps.size(); ++second) {
    for (size_t first = 0; first < second; ++first) {
      const plan::Step& maker = plan.steps[first];
      const plan::Step& reader = plan.steps[second];
      const bool reads = std::any_of(reader.operands.begin(), reader.operands.end(), [&](int operand) {
        return std::find(maker.results.begin(), maker.results.end(), operand) != maker.results.end();
      });
      if (reads && maker.phase == plan::Phase::kRun && reader.phase == plan::Phase::kRun) {
        pairs.push_back({first, second, maker.modelled_us + reader.modelled_us});
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.us > b.us; });
  pairs.resize(std::min(pairs.size(), kMaxPairs));
  return pairs;
}

SubTask sub_task_of_both(const plan::Plan& plan, const Pair& pair) {
  const std::vector<std::vector<ir::NodeId>> own = driver::own_nodes(plan);
  std::vector<ir::NodeId> nodes = own[pair.first];
  nodes.insert(nodes.end(), own[pair.second].begin(), own[pair.second].end());
  SubTask sub_task{
      .name = plan.steps[pair.first].name + "_" + plan.steps[pair.second].name,
      .contract = contract_of(plan.graph, nodes),
      .hint = fmt::format("{} and {} in one piece", plan.steps[pair.first].name, plan.steps[pair.second].name)};
  for (const ir::NodeId node : nodes) {
    sub_task.nodes.push_back(node_name(plan.graph, node));
  }
  return sub_task;
}

// The sub-task first, then those of the expert that share no node with it.
PlanVersion with_group(const PlanVersion& expert, const SubTask& group) {
  PlanVersion plan = expert;
  plan.sub_tasks = {group};
  for (const SubTask& each : expert.sub_tasks) {
    const bool shares = std::any_of(each.nodes.begin(), each.nodes.end(), [&](const std::string& node) {
      return std::find(group.nodes.begin(), group.nodes.end(), node) != group.nodes.end();
    });
    if (!shares) {
      plan.sub_tasks.push_back(each);
    }
  }
  return plan;
}

}  // namespace

std::optional<PlanVersion> joined_plan(const plan::Plan& plan, const std::function<bool(const SubTask&)>& can_write) {
  const PlanVersion expert = expert_agent_plan(plan);
  std::vector<PlanVersion> plans;
  for (const Pair& pair : pairs_of(plan)) {
    const SubTask group = sub_task_of_both(plan, pair);
    PlanVersion version = with_group(expert, group);
    const bool cuts = complaints_about(version, plan.graph).empty();
    const auto cost = cuts ? plan_cost(version, plan) : std::variant<PlanCost, Complaints>(Complaints{});
    if (const auto* known = std::get_if<PlanCost>(&cost); known != nullptr && known->modelled_us < plan.modelled_us) {
      version.modelled_us = known->modelled_us;
      version.sub_tasks.front().expected_gain = fmt::format("{:.3f} us of the modelled {:.3f} us a call",
                                                            plan.modelled_us - known->modelled_us, plan.modelled_us);
      version.summary = fmt::format("the expert's steps, two of them joined: {}", group.hint);
      plans.push_back(std::move(version));
    }
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const PlanVersion& a, const PlanVersion& b) { return a.modelled_us < b.modelled_us; });
  const auto best = std::find_if(plans.begin(), plans.end(),
                                 [&](const PlanVersion& each) { return can_write(each.sub_tasks.front()); });
  return best == plans.end() ? std::nullopt : std::optional(*best);
}

}  // namespace stitch::agents
