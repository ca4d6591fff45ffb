// SPDX-License-Identifier: Apache-2.0
#include "agents/planner/expert_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/planner/check_plan.h"
#include "driver/written/step_nodes.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"

namespace stitch::agents {
namespace {

const char* words_for(plan::Bound bound) {
  switch (bound) {
    case plan::Bound::kLaunches:
      return "its launches";
    case plan::Bound::kMemory:
      return "memory";
    case plan::Bound::kArithmetic:
      return "matrix arithmetic";
    case plan::Bound::kLaneOperations:
      return "other arithmetic";
  }
  return "memory";
}

kernels::Work work_of(const plan::Plan& plan, size_t index) {
  const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[index].skeleton);
  STITCH_CHECK(kernel != nullptr) << "a plan names the skeleton " << plan.steps[index].skeleton;
  return kernel->work(plan::step_group(plan, index), plan.steps[index].setting);
}

SubTask sub_task_of(const plan::Plan& plan, size_t index, const std::vector<ir::NodeId>& nodes) {
  const plan::Step& step = plan.steps[index];
  SubTask sub_task{.name = step.name, .contract = contract_of(plan.graph, nodes)};
  for (const ir::NodeId node : nodes) {
    sub_task.nodes.push_back(node_name(plan.graph, node));
  }
  std::string setting = step.setting.variant;
  setting += step.setting.splits > 1 ? fmt::format(" in {} parts", step.setting.splits) : "";
  sub_task.hint = fmt::format("skeleton {}{}{}", step.skeleton, setting.empty() ? "" : ", ", setting);
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (limits.has_value()) {
    const kernels::Work work = work_of(plan, index);
    sub_task.floor_us = std::max(0.0, step.modelled_us - work.launches * limits->launch_us);
    sub_task.hint += fmt::format("; limited by {}", words_for(plan::bound_of(work, *limits)));
  }
  const bool is_prepared = step.phase == plan::Phase::kPrepare;
  sub_task.expected_gain =
      is_prepared ? "none a call: it runs once"
                  : fmt::format("{:.0f} % of the modelled {:.3f} us a call; its floor is {:.3f} us",
                                100 * step.modelled_us / plan.modelled_us, plan.modelled_us, sub_task.floor_us);
  return sub_task;
}

// Last: what the steps are by then is what streams are chosen for. Nothing where no choice gains by the model.
std::optional<SubTask> host_sub_task(const plan::Plan& plan) {
  const std::vector<plan::HostPlan> offers = plan::offered_host(plan);
  const Result<plan::Plan> best = offers.empty() ? Result<plan::Plan>(plan) : plan::with_host(plan, offers.front());
  if (offers.empty() || !best.has_value()) {
    return std::nullopt;
  }
  return SubTask{.name = "host",
                 .kind = SubTaskKind::kHost,
                 .hint = "streams for steps that do not need each other, and the order of launches",
                 .expected_gain = fmt::format("{:.3f} us of the modelled {:.3f} us a call",
                                              plan.modelled_us - best->modelled_us, plan.modelled_us),
                 .risk = "more memory is in use at the same time"};
}

}  // namespace

PlanVersion expert_agent_plan(const plan::Plan& plan) {
  const std::vector<std::vector<ir::NodeId>> own = driver::own_nodes(plan);
  std::vector<size_t> order(plan.steps.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  // Prepared steps cost no call anything.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto cost = [&](size_t i) {
      return plan.steps[i].phase == plan::Phase::kPrepare ? 0 : plan.steps[i].modelled_us;
    };
    return cost(a) > cost(b);
  });
  PlanVersion version{.author = Author::kExpert};
  version.summary = fmt::format("{} steps as the expert cuts and writes them, modelled at {:.3f} us on {}",
                                plan.steps.size(), plan.modelled_us, plan.device);
  for (const size_t index : order) {
    if (!own[index].empty()) {
      version.sub_tasks.push_back(sub_task_of(plan, index, own[index]));
    }
  }
  if (std::optional<SubTask> host = host_sub_task(plan); host.has_value()) {
    version.sub_tasks.push_back(std::move(*host));
  }
  if (!version.sub_tasks.empty()) {
    const SubTask& first = version.sub_tasks.front();
    version.bottlenecks = {fmt::format("{}: {}", first.name, first.expected_gain)};
  }
  return version;
}

}  // namespace stitch::agents
