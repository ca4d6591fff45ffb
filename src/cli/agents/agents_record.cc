// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agents_record.h"

namespace stitch::cli {
namespace {

constexpr double kDollars = 1e-6;  // a microdollar

runs::AgentsLimits limits_in_record(const agents::Limits& limits) {
  runs::AgentsLimits kept{.tokens = limits.tokens,
                          .gpu_seconds = limits.gpu_seconds,
                          .seconds = limits.seconds,
                          .rounds = limits.rounds,
                          .rounds_per_sub_task = limits.rounds_per_sub_task,
                          .repairs = limits.repairs,
                          .replans = limits.replans};
  if (limits.microdollars.has_value()) {
    kept.dollars = static_cast<double>(*limits.microdollars) * kDollars;
  }
  return kept;
}

runs::AgentsSpending spent_in(const agents::State& state) {
  const agents::Spending total = total_spending(state);
  return {.requests = total.requests,
          .prompt_tokens = total.prompt_tokens,
          .answer_tokens = total.answer_tokens,
          .is_estimated = total.is_estimated,
          .dollars = static_cast<double>(total.microdollars) * kDollars,
          .gpu_seconds = total.gpu_seconds,
          .seconds = total.seconds};
}

std::optional<runs::AgentsTime> in_record(const std::optional<agents::Time>& time) {
  return time.has_value() ? std::optional(runs::AgentsTime{to_string(time->kind), time->us}) : std::nullopt;
}

std::string author_of(agents::Author author, const std::string& model) {
  return author == agents::Author::kModel ? model : "expert";
}

std::vector<runs::AgentsPlan> plans_in(const agents::State& state, const std::string& planner) {
  std::vector<runs::AgentsPlan> plans;
  for (const agents::PlanVersion& each : state.plans) {
    runs::AgentsPlan& plan = plans.emplace_back();
    plan = {.version = each.version,
            .author = author_of(each.author, planner),
            .trigger = each.trigger,
            .summary = each.summary};
    for (const agents::SubTask& sub_task : each.sub_tasks) {
      plan.sub_tasks.push_back(sub_task.name);
    }
  }
  return plans;
}

std::vector<runs::AgentsAttempt> attempts_in(const agents::State& state) {
  std::vector<runs::AgentsAttempt> attempts;
  for (const agents::Attempt& each : state.attempts) {
    const agents::PlanVersion& plan = state.plans.at(static_cast<size_t>(each.plan - 1));
    attempts.push_back({.number = each.number,
                        .plan = each.plan,
                        .sub_task = plan.sub_tasks.at(static_cast<size_t>(each.sub_task)).name,
                        .activity = to_string(each.activity),
                        .outcome = to_string(each.outcome),
                        .digest = each.digest,
                        .program = in_record(each.program),
                        .replaced_incumbent = each.replaced_incumbent});
  }
  return attempts;
}

}  // namespace

runs::AgentsRecord agents_record(const agents::RunRequest& request, const agents::State& state,
                                 const std::optional<agents::Time>& start) {
  runs::AgentsRecord record{.system = request.system,
                            .without = request.without,
                            .roles = models_of(request.team),
                            .prompts = request.prompts.digests(),
                            .limits = limits_in_record(state.limits),
                            .spent = spent_in(state),
                            .activity = to_string(state.activity),
                            .reason = state.decisions.empty() ? "" : state.decisions.back().reason,
                            .paused_by = state.pause_reason,
                            .replans = state.replans};
  const agents::SubTask* sub_task = current_sub_task(state);
  record.sub_task = sub_task == nullptr ? "" : sub_task->name;
  record.plans = plans_in(state, record.roles.at("planner"));
  record.attempts = attempts_in(state);
  record.first = in_record(start);
  record.incumbent = in_record(state.incumbent.program);
  for (const agents::StepOwner& each : state.incumbent.steps) {
    record.writers.push_back({each.step, author_of(each.author, record.roles.at("coder")), each.attempt});
  }
  return record;
}

}  // namespace stitch::cli
