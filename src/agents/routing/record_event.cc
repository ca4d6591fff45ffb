// SPDX-License-Identifier: Apache-2.0
#include "agents/routing/record_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agents/routing/conditions.h"

namespace stitch::agents {
namespace {

bool is_time(double us) { return std::isfinite(us) && us > 0; }

bool is_time(const std::optional<Time>& time) {
  return !time.has_value() || (is_time(time->us) && is_time(time->low_us) && is_time(time->high_us) &&
                               time->low_us <= time->us && time->us <= time->high_us);
}

struct FaultOf {
  const Limits& limits;

  std::string operator()(const Planned& planned) const {
    auto count = planned.plan.sub_tasks.size();
    for (const PlanVersion& other : planned.others) {
      count = std::max(count, other.sub_tasks.size());
    }
    return static_cast<int64_t>(count) > limits.sub_tasks
               ? fmt::format("a plan of {} sub-tasks, over {}", count, limits.sub_tasks)
               : "";
  }
  std::string operator()(const Tested& tested) const {
    if (tested.outcome == Outcome::kUnreadable) {
      return "a test of an answer without code";
    }
    if (tested.outcome != Outcome::kRight && (tested.step.has_value() || tested.program.has_value())) {
      return "a time of what is not right";
    }
    return is_time(tested.step) && is_time(tested.program) ? "" : "a time that is none";
  }
  std::string operator()(const Profiled& profiled) const {
    const bool good = std::all_of(profiled.steps.begin(), profiled.steps.end(),
                                  [](const StepTime& each) { return is_time(each.us); });
    return good ? "" : "a time that is none";
  }
  std::string operator()(const auto&) const { return ""; }
};

const Profile* latest_profile(const State& state) { return state.profiles.empty() ? nullptr : &state.profiles.back(); }

// How much of the time the changed steps take, or those whose place they take, by the latest profile; without one all
// of it.
void weigh_changes(const State& state, Attempt& attempt) {
  const Profile* profile = latest_profile(state);
  const SubTask* sub_task = current_sub_task(state);
  const bool is_all = sub_task != nullptr && sub_task->kind != SubTaskKind::kStep;  // it is no step, and all of them
  if (profile == nullptr || profile->steps.empty() || is_all) {
    return;
  }
  const auto is_changed = [&](const StepTime& each) {
    const auto has = [&](const std::vector<std::string>& steps) {
      return std::find(steps.begin(), steps.end(), each.step) != steps.end();
    };
    return has(attempt.changed) || has(attempt.replaced);
  };
  double all = 0;
  double changed = 0;
  for (const StepTime& each : profile->steps) {
    all += each.us;
    changed += is_changed(each) ? each.us : 0;
  }
  const auto dominant = std::max_element(profile->steps.begin(), profile->steps.end(),
                                         [](const StepTime& a, const StepTime& b) { return a.us < b.us; });
  attempt.changed_share = changed / all;
  attempt.changed_dominant = is_changed(*dominant);
}

Attempt& add_attempt(State& state, Activity activity) {
  Attempt& attempt = state.attempts.emplace_back();
  attempt.number = static_cast<int64_t>(state.attempts.size());
  attempt.plan = static_cast<int64_t>(state.plans.size());
  attempt.sub_task = state.begun_sub_tasks - 1;
  attempt.activity = activity;
  return attempt;
}

// Who wrote each step of the program with the attempt.
std::vector<StepOwner> owners_of(const std::vector<TriedStep>& steps, const Incumbent& before, int64_t attempt) {
  std::vector<StepOwner> owners;
  for (const TriedStep& each : steps) {
    const auto known = std::find_if(before.steps.begin(), before.steps.end(), [&](const StepOwner& owner) {
      return !each.before.empty() && owner.step == each.before;
    });
    StepOwner owner = known == before.steps.end() || each.is_tried ? StepOwner{} : *known;
    if (each.is_tried) {
      owner = {.author = Author::kModel, .attempt = attempt};
    }
    owner.step = each.step;
    owners.push_back(std::move(owner));
  }
  return owners;
}

void replace_incumbent(State& state, Attempt& attempt, const std::vector<TriedStep>& steps) {
  attempt.replaced_incumbent = true;
  attempt.gained_us = state.incumbent.program->us - attempt.program->us;
  state.incumbent.program = attempt.program;
  if (!steps.empty()) {
    state.incumbent.steps = owners_of(steps, state.incumbent, attempt.number);
    return;
  }
  for (const std::string& step : attempt.changed) {
    const auto found = std::find_if(state.incumbent.steps.begin(), state.incumbent.steps.end(),
                                    [&](const StepOwner& each) { return each.step == step; });
    StepOwner& owner = found == state.incumbent.steps.end() ? state.incumbent.steps.emplace_back() : *found;
    owner = {.step = step, .author = Author::kModel, .attempt = attempt.number};
  }
}

struct Recorder {
  State& state;

  void operator()(const Planned& planned) const {
    state.plans.push_back(planned.plan);
    state.plans.back().version = static_cast<int64_t>(state.plans.size());
    for (const PlanVersion& other : planned.others) {
      state.passed_over.push_back(other);
      state.passed_over.back().version = state.plans.back().version;
    }
    state.begun_sub_tasks = 0;
  }
  void operator()(const PlanKept& kept) const { note(kept.why); }
  void operator()(const Written& written) const {
    state.writing = Writing{
        .activity = state.activity, .digest = written.digest, .changed = written.changed, .replaced = written.replaced};
  }
  void operator()(const Declined& declined) const { note(declined.why); }
  void operator()(const Unreadable& unreadable) const {
    add_attempt(state, state.activity).fingerprint = unreadable.why;
  }
  void operator()(const Tested& tested) const {
    if (tested.outcome != Outcome::kRight && tested.incumbent_fails) {
      state.pause_reason = tested.fingerprint;
      return;
    }
    Attempt& attempt = add_attempt(state, state.writing->activity);
    attempt.outcome = tested.outcome;
    attempt.digest = state.writing->digest;
    attempt.changed = state.writing->changed;
    attempt.replaced = state.writing->replaced;
    attempt.fingerprint = tested.fingerprint;
    attempt.step = tested.step;
    attempt.program = tested.program;
    state.writing.reset();
    weigh_changes(state, attempt);
    const bool is_comparable = tested.program.has_value() && state.incumbent.program.has_value();
    if (is_comparable && is_faster(*tested.program, *state.incumbent.program)) {
      replace_incumbent(state, attempt, tested.steps);
    }
  }
  void operator()(const Profiled& profiled) const {
    state.profiles.push_back({.attempt = latest_attempt(), .steps = profiled.steps});
  }
  void operator()(const Retrieved& retrieved) const {
    if (!retrieved.note.empty()) {
      note(retrieved.note);
    }
  }
  void operator()(const Advised& advised) const {
    state.feedback.push_back(advised.feedback);
    state.feedback.back().attempt = latest_attempt();
  }
  void operator()(const EnvironmentFailed& failed) const { state.pause_reason = failed.why; }
  void operator()(const Resumed&) const { state.pause_reason.clear(); }
  void operator()(const NoRoom&) const {}  // its reason stands with the decision

  int64_t latest_attempt() const { return static_cast<int64_t>(state.attempts.size()); }
  void note(const std::string& text) const { state.notes.push_back({.attempt = latest_attempt(), .text = text}); }
};

void add_spending(State& state, const Spending& spent) {
  const auto plan = static_cast<int64_t>(state.plans.size());
  const auto found = std::find_if(state.ledger.begin(), state.ledger.end(), [&](const Spending& each) {
    return each.role == spent.role && each.plan == plan && each.sub_task == state.begun_sub_tasks;
  });
  Spending& entry = found == state.ledger.end() ? state.ledger.emplace_back() : *found;
  entry.role = spent.role;
  entry.plan = plan;
  entry.sub_task = state.begun_sub_tasks;
  add_amounts(spent, entry);
}

}  // namespace

std::string fault_of(const Event& event, const Limits& limits) {
  for (const Spending& spent : event.spent) {
    const bool good = std::min({spent.requests, spent.prompt_tokens, spent.cached_tokens, spent.answer_tokens,
                                spent.reasoning_tokens, spent.microdollars}) >= 0 &&
                      spent.gpu_seconds >= 0 && std::isfinite(spent.gpu_seconds) && spent.seconds >= 0 &&
                      std::isfinite(spent.seconds);
    if (!good) {
      return "a spending below nothing";
    }
  }
  return std::visit(FaultOf{limits}, event.body);
}

void record_event(State& state, const Event& event) {
  for (const Spending& spent : event.spent) {  // before the event: a plan is paid for by what came before it
    add_spending(state, spent);
  }
  std::visit(Recorder{state}, event.body);
}

}  // namespace stitch::agents
