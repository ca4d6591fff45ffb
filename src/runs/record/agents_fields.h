// SPDX-License-Identifier: Apache-2.0
// The members of each part of an AgentsRecord by their names in JSON: one list for the writer and the reader.
#pragma once

#include <type_traits>

#include "runs/record/agents_record.h"

namespace stitch::runs {

template <typename T, typename Of>
concept Is = std::is_same_v<std::remove_const_t<T>, Of>;

void visit_fields(Is<AgentsTime> auto& time, auto&& visit) {
  visit("kind", time.kind);
  visit("us", time.us);
}

void visit_fields(Is<AgentsLimits> auto& limits, auto&& visit) {
  visit("tokens", limits.tokens);
  visit("dollars", limits.dollars);
  visit("gpu_seconds", limits.gpu_seconds);
  visit("seconds", limits.seconds);
  visit("rounds", limits.rounds);
  visit("rounds_per_sub_task", limits.rounds_per_sub_task);
  visit("repairs", limits.repairs);
  visit("replans", limits.replans);
}

void visit_fields(Is<AgentsSpending> auto& spent, auto&& visit) {
  visit("requests", spent.requests);
  visit("prompt_tokens", spent.prompt_tokens);
  visit("answer_tokens", spent.answer_tokens);
  visit("tokens_are_estimated", spent.is_estimated);
  visit("dollars", spent.dollars);
  visit("gpu_seconds", spent.gpu_seconds);
  visit("seconds", spent.seconds);
}

void visit_fields(Is<AgentsPlan> auto& plan, auto&& visit) {
  visit("version", plan.version);
  visit("author", plan.author);
  visit("trigger", plan.trigger);
  visit("summary", plan.summary);
  visit("sub_tasks", plan.sub_tasks);
}

void visit_fields(Is<AgentsAttempt> auto& attempt, auto&& visit) {
  visit("number", attempt.number);
  visit("plan", attempt.plan);
  visit("sub_task", attempt.sub_task);
  visit("activity", attempt.activity);
  visit("outcome", attempt.outcome);
  visit("digest", attempt.digest);
  visit("program", attempt.program);
  visit("replaced_incumbent", attempt.replaced_incumbent);
}

void visit_fields(Is<StepWriter> auto& writer, auto&& visit) {
  visit("step", writer.step);
  visit("author", writer.author);
  visit("attempt", writer.attempt);
}

void visit_fields(Is<AgentsRecord> auto& record, auto&& visit) {
  visit("system", record.system);
  visit("without", record.without);
  visit("roles", record.roles);
  visit("prompts", record.prompts);
  visit("limits", record.limits);
  visit("spent", record.spent);
  visit("activity", record.activity);
  visit("sub_task", record.sub_task);
  visit("reason", record.reason);
  visit("paused_by", record.paused_by);
  visit("replans", record.replans);
  visit("plans", record.plans);
  visit("attempts", record.attempts);
  visit("first", record.first);
  visit("incumbent", record.incumbent);
  visit("writers", record.writers);
}

}  // namespace stitch::runs
