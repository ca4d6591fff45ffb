// SPDX-License-Identifier: Apache-2.0
#include "plan/batch/any_batch.h"

#include <fmt/format.h>

#include "kernels/builtin_templates.h"
#include "plan/batch/graph_family.h"
#include "plan/cost/cost.h"
#include "plan/streams/schedule.h"

namespace stitch::plan {
namespace {

constexpr double kMaxCostRatio = 1.05;  // what any batch may cost at the declared one, over a plan for that alone

Result<double> modelled_us_at(const Plan& plan, int64_t batch) {
  STITCH_ASSIGN(const GraphFamily family,
                GraphFamily::between(plan.graph, plan.batch->planned, plan.batch->other, plan.batch->other_batch));
  STITCH_ASSIGN(const ir::Graph graph, family.at(batch));
  STITCH_ASSIGN(const kernels::DeviceLimits limits, kernels::device_limits(plan.device));
  std::vector<double> step_us;
  std::vector<double> launches;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    kernels::Group group = step_group(plan, i);
    group.graph = &graph;
    kernels::Work work{.launches = 0};
    if (step.phase == Phase::kRun) {
      work = kernels::find_template(step.skeleton)->work(group, step.setting);
    }
    step_us.push_back(step.phase == Phase::kRun ? modelled_us(work, limits) : 0);
    launches.push_back(work.launches);
  }
  return schedule_of(plan, step_us, launches, limits).us;
}

// Why a plan for a batch of one alone is better; empty where it is not.
std::string why_alone(const Plan& any, const Plan& alone) {
  if (!any.batch.has_value()) {
    return any.batch_note;
  }
  const double any_us = declared_modelled_us(any);
  if (any_us <= kMaxCostRatio * alone.modelled_us) {
    return {};
  }
  return fmt::format("it is declared as {}, where one for any batch would take {:.1f} us modelled, not {:.1f}",
                     any.batch->declared, any_us, alone.modelled_us);
}

// The plan for the larger batch. The program as declared is one of those that its lines are checked against.
Result<Plan> plan_larger(const ProgramBatches& program, const Planner& planner) {
  std::vector<BatchVariant> others;
  const BatchVariant* planned = nullptr;
  for (const BatchVariant& one : program.variants) {
    if (one.batch == program.range.planned) {
      planned = &one;
    } else {
      others.push_back(one);
    }
  }
  if (planned == nullptr) {
    return failure(ErrorCode::kProgramInvalid, fmt::format("it is not there at batch {}", program.range.planned));
  }
  others.push_back({program.range.declared, program.graph});
  STITCH_ASSIGN(Plan plan, planner(planned->graph));
  add_run_time_batch(plan, program.range, others);
  return plan;
}

}  // namespace

Result<Plan> plan_any_batch(const ProgramBatches& program, const Planner& planner) {
  STITCH_ASSIGN(Plan plan, planner(program.graph));
  if (program.variants.empty()) {
    plan.batch_note = program.fixed_because;
    return plan;
  }
  if (program.range.planned == program.range.declared) {
    add_run_time_batch(plan, program.range, program.variants);
    return plan;
  }
  Result<Plan> larger = plan_larger(program, planner);
  plan.batch_note = larger.has_value() ? why_alone(*larger, plan) : larger.error().message;
  return plan.batch_note.empty() ? std::move(larger).value() : std::move(plan);
}

double declared_modelled_us(const Plan& plan) {
  if (!plan.batch.has_value() || plan.batch->declared == plan.batch->planned) {
    return plan.modelled_us;
  }
  const Result<double> us = modelled_us_at(plan, plan.batch->declared);
  return us.has_value() ? *us : plan.modelled_us;
}

}  // namespace stitch::plan
