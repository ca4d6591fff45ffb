// SPDX-License-Identifier: Apache-2.0
#include "agents/state/state.h"

#include <algorithm>

namespace stitch::agents {

namespace {

const SubTask& sub_task_of(const State& state, const Attempt& attempt) {
  return state.plans.at(static_cast<size_t>(attempt.plan - 1)).sub_tasks.at(static_cast<size_t>(attempt.sub_task));
}

}  // namespace

const SubTask* current_sub_task(const State& state) {
  if (state.plans.empty() || state.begun_sub_tasks == 0) {
    return nullptr;
  }
  return &state.plans.back().sub_tasks.at(static_cast<size_t>(state.begun_sub_tasks - 1));
}

std::vector<const Attempt*> current_attempts(const State& state) {
  std::vector<const Attempt*> found;
  for (const Attempt& attempt : state.attempts) {
    const bool is_current_plan = attempt.plan == static_cast<int64_t>(state.plans.size());
    if (is_current_plan && attempt.sub_task == state.begun_sub_tasks - 1) {
      found.push_back(&attempt);
    }
  }
  return found;
}

const Attempt* attempt_with(const State& state, const std::string& digest) {
  const SubTask* present = current_sub_task(state);
  const auto is_alike = [&](const Attempt& attempt) {
    const SubTask& then = sub_task_of(state, attempt);
    return attempt.digest == digest && then.kind == present->kind && then.nodes == present->nodes;
  };
  const auto found = present == nullptr || digest.empty()
                         ? state.attempts.rend()
                         : std::find_if(state.attempts.rbegin(), state.attempts.rend(), is_alike);
  return found == state.attempts.rend() ? nullptr : &*found;
}

AnsweredSubTasks answered_sub_tasks(const State& state) {
  AnsweredSubTasks answered;
  if (state.plans.empty()) {
    return answered;
  }
  for (const SubTask& wanted : state.plans.back().sub_tasks) {
    const auto is_right_answer = [&](const Attempt& attempt) {
      const SubTask& then = sub_task_of(state, attempt);
      return attempt.outcome == Outcome::kRight && then.kind == wanted.kind && then.nodes == wanted.nodes;
    };
    ++answered.asked;
    answered.right += std::any_of(state.attempts.begin(), state.attempts.end(), is_right_answer) ? 1 : 0;
  }
  return answered;
}

void add_amounts(const Spending& spent, Spending& total) {
  total.requests += spent.requests;
  total.prompt_tokens += spent.prompt_tokens;
  total.cached_tokens += spent.cached_tokens;
  total.answer_tokens += spent.answer_tokens;
  total.reasoning_tokens += spent.reasoning_tokens;
  total.is_estimated = total.is_estimated || spent.is_estimated;
  total.microdollars += spent.microdollars;
  total.gpu_seconds += spent.gpu_seconds;
  total.seconds += spent.seconds;
}

Spending total_spending(const State& state) {
  Spending total;
  for (const Spending& each : state.ledger) {
    add_amounts(each, total);
  }
  return total;
}

}  // namespace stitch::agents
