// SPDX-License-Identifier: Apache-2.0
// What members of a state say of each other. A file that was cut and mended by hand, or written by another release,
// would otherwise send the run somewhere that it never was.
#include <fmt/format.h>

#include <algorithm>

#include "agents/state/state_json.h"

namespace stitch::agents {
namespace {

int64_t count(const auto& list) { return static_cast<int64_t>(list.size()); }

std::string in_limits(const State& state) {
  const Limits& limits = state.limits;
  if (std::min({limits.rounds_per_sub_task, limits.rounds, limits.sub_tasks}) < 1) {
    return "a limit on rounds or sub-tasks is below 1";
  }
  if (std::min({limits.repairs, limits.replans, state.replans}) < 0 || state.replans > limits.replans) {
    return fmt::format("{} of {} replans cannot have been made", state.replans, limits.replans);
  }
  const bool is_negative = limits.tokens.value_or(0) < 0 || limits.microdollars.value_or(0) < 0 ||
                           limits.gpu_seconds.value_or(0) < 0 || limits.seconds.value_or(0) < 0;
  return is_negative ? "a limit of its budget is negative" : "";
}

std::string in_plans(const State& state) {
  for (int64_t i = 0; i < count(state.plans); ++i) {
    const PlanVersion& plan = state.plans[static_cast<size_t>(i)];
    if (plan.version != i + 1) {
      return fmt::format("plan {} calls itself version {}", i + 1, plan.version);
    }
    if (count(plan.sub_tasks) > state.limits.sub_tasks) {
      return fmt::format("plan {} has {} sub-tasks, over {}", i + 1, plan.sub_tasks.size(), state.limits.sub_tasks);
    }
  }
  const int64_t sub_tasks = state.plans.empty() ? 0 : count(state.plans.back().sub_tasks);
  if (state.begun_sub_tasks < 0 || state.begun_sub_tasks > sub_tasks) {
    return fmt::format("{} of {} sub-tasks cannot have been begun", state.begun_sub_tasks, sub_tasks);
  }
  return "";
}

std::string in_attempts(const State& state) {
  for (int64_t i = 0; i < count(state.attempts); ++i) {
    const Attempt& attempt = state.attempts[static_cast<size_t>(i)];
    if (attempt.number != i + 1) {
      return fmt::format("attempt {} calls itself {}", i + 1, attempt.number);
    }
    const bool is_planned = attempt.plan >= 1 && attempt.plan <= count(state.plans) && attempt.sub_task >= 0 &&
                            attempt.sub_task < count(state.plans[static_cast<size_t>(attempt.plan - 1)].sub_tasks);
    if (!is_planned) {
      return fmt::format("attempt {} is at sub-task {} of plan {}, which is not there", i + 1, attempt.sub_task,
                         attempt.plan);
    }
    if (!is_writing(attempt.activity)) {
      return fmt::format("attempt {} was written in '{}'", i + 1, to_string(attempt.activity));
    }
    const bool is_timed = attempt.step.has_value() || attempt.program.has_value() || attempt.replaced_incumbent;
    if (attempt.outcome != Outcome::kRight && is_timed) {
      return fmt::format("attempt {} is {} and has a time, or is the best", i + 1, to_string(attempt.outcome));
    }
  }
  return "";
}

std::string of_attempts_that_are_there(const State& state) {
  const auto is_there = [&](int64_t attempt) { return attempt >= 0 && attempt <= count(state.attempts); };
  const auto all_there = [&](const auto& list) {
    return std::all_of(list.begin(), list.end(), [&](const auto& each) { return is_there(each.attempt); });
  };
  const bool good = all_there(state.profiles) && all_there(state.feedback) && all_there(state.notes) &&
                    all_there(state.incumbent.steps);
  return good ? "" : "a profile, a feedback, a note or a step names an attempt that was not made";
}

std::string in_activity(const State& state) {
  const Activity at = state.paused_at.value_or(state.activity);
  if (state.paused_at.has_value() != (state.activity == Activity::kPaused)) {
    return fmt::format("it is '{}' and {} where it was paused", to_string(state.activity),
                       state.paused_at.has_value() ? "says" : "does not say");
  }
  if (is_passage(at) || at == Activity::kPaused || (state.paused_at.has_value() && at == Activity::kStopped)) {
    return fmt::format("no run waits in '{}'", to_string(at));
  }
  if (state.writing.has_value() && !is_writing(state.writing->activity)) {
    return fmt::format("its code was written in '{}'", to_string(state.writing->activity));
  }
  if (at != Activity::kStopped && state.writing.has_value() != (at == Activity::kTest)) {
    return fmt::format("it waits in '{}' {} code to test", to_string(at),
                       state.writing.has_value() ? "with" : "without");
  }
  const bool needs_sub_task = at != Activity::kPlan && at != Activity::kReplan && at != Activity::kStopped;
  return needs_sub_task && state.begun_sub_tasks == 0
             ? fmt::format("it waits in '{}' before any sub-task", to_string(at))
             : "";
}

// The decisions are a walk through the activities that ends where the run is.
std::string in_decisions(const State& state) {
  Activity at = Activity::kPlan;
  int64_t attempts = 0;
  for (size_t i = 0; i < state.decisions.size(); ++i) {
    const Decision& decision = state.decisions[i];
    if (decision.from != at) {
      return fmt::format("decision {} leaves '{}' where the run was in '{}'", i + 1, to_string(decision.from),
                         to_string(at));
    }
    if (decision.attempts < attempts || decision.attempts > count(state.attempts)) {
      return fmt::format("decision {} was made after {} attempts, which cannot be", i + 1, decision.attempts);
    }
    at = decision.to;
    attempts = decision.attempts;
  }
  return at == state.activity
             ? ""
             : fmt::format("its decisions end in '{}' and it is in '{}'", to_string(at), to_string(state.activity));
}

}  // namespace

std::string contradiction(const State& state) {
  for (const auto& looked : {in_limits, in_plans, in_attempts, of_attempts_that_are_there, in_activity, in_decisions}) {
    if (std::string found = looked(state); !found.empty()) {
      return found;
    }
  }
  return "";
}

}  // namespace stitch::agents
