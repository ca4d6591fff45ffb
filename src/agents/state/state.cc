// SPDX-License-Identifier: Apache-2.0
#include "agents/state/state.h"

namespace stitch::agents {

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
