// SPDX-License-Identifier: Apache-2.0
#include "agents/routing/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::agents {
namespace {

using Holds = std::optional<std::string>;

Holds when(bool is_so, std::string figures = "") { return is_so ? Holds(std::move(figures)) : std::nullopt; }

Holds time_spent(const State& state) {
  const Spending total = total_spending(state);
  const Limits& limits = state.limits;
  if (limits.gpu_seconds.has_value() && total.gpu_seconds >= *limits.gpu_seconds) {
    return fmt::format("{:.1f} of {:.1f} GPU-seconds", total.gpu_seconds, *limits.gpu_seconds);
  }
  if (limits.seconds.has_value() && total.seconds >= *limits.seconds) {
    return fmt::format("{:.1f} of {:.1f} s", total.seconds, *limits.seconds);
  }
  return std::nullopt;
}

Holds budget_spent(const State& state) {
  const Spending total = total_spending(state);
  const Limits& limits = state.limits;
  const int64_t tokens = total.prompt_tokens + total.answer_tokens;
  if (limits.tokens.has_value() && tokens >= *limits.tokens) {
    return fmt::format("{} of {} tokens", tokens, *limits.tokens);
  }
  if (limits.microdollars.has_value() && total.microdollars >= *limits.microdollars) {
    return fmt::format("{:.6f} of {:.6f} $", static_cast<double>(total.microdollars) * 1e-6,
                       static_cast<double>(*limits.microdollars) * 1e-6);
  }
  return time_spent(state);
}

Holds target_reached(const State& state) {
  const auto& program = state.incumbent.program;
  if (!program.has_value() || !state.task.target_us.has_value()) {
    return std::nullopt;
  }
  return when(program->us <= *state.task.target_us,
              fmt::format("{:.3f} us, target {:.3f} us", program->us, *state.task.target_us));
}

Holds at_floor(double us, double floor_us) {
  return when(floor_us > 0 && us <= floor_us * (1 + kFloorMargin),
              fmt::format("{:.3f} us, floor {:.3f} us", us, floor_us));
}

Holds program_at_floor(const State& state) {
  const auto& program = state.incumbent.program;
  return program.has_value() ? at_floor(program->us, state.task.floor_us) : std::nullopt;
}

Holds step_at_floor(const State& state) {
  const SubTask* sub_task = current_sub_task(state);
  const auto attempts = current_attempts(state);
  const bool is_timed = sub_task != nullptr && !attempts.empty() && attempts.back()->step.has_value();
  return is_timed ? at_floor(attempts.back()->step->us, sub_task->floor_us) : std::nullopt;
}

// The last two attempts at the sub-task, where there are two and both are so.
template <typename IsSo>
Holds last_two(const State& state, const IsSo& is_so) {
  const auto attempts = current_attempts(state);
  if (attempts.size() < 2) {
    return std::nullopt;
  }
  const Attempt& before = *attempts[attempts.size() - 2];
  const Attempt& last = *attempts.back();
  return when(is_so(before) && is_so(last), fmt::format("attempts {} and {}", before.number, last.number));
}

// At the target the run would have stopped before it came here.
Holds two_alike(const State& state) {
  const auto is_timed = [](const Attempt& each) { return each.outcome == Outcome::kRight && each.step.has_value(); };
  const Holds both = last_two(state, is_timed);
  if (!both.has_value()) {
    return std::nullopt;
  }
  const auto attempts = current_attempts(state);
  const double a = attempts[attempts.size() - 2]->step->us;
  const double b = attempts.back()->step->us;
  return when(std::abs(a - b) <= kAlikeMargin * std::min(a, b), fmt::format("{}: {:.3f} and {:.3f} us", *both, a, b));
}

bool is_degenerate(const Attempt& each) {
  return each.outcome != Outcome::kUnreadable && !each.changed.empty() && !each.changed_dominant &&
         each.changed_share < kDegenerateShare;
}

Holds last_is(const State& state, Outcome outcome) {
  return when(!state.attempts.empty() && state.attempts.back().outcome == outcome,
              state.attempts.empty() ? "" : fmt::format("attempt {}", state.attempts.back().number));
}

// The first failure of a row is no repair, and those after it are.
Holds repairs_spent(const State& state) {
  const auto attempts = current_attempts(state);
  const auto right = std::find_if(attempts.rbegin(), attempts.rend(),
                                  [](const Attempt* each) { return each->outcome == Outcome::kRight; });
  const int64_t repairs = (right - attempts.rbegin()) - 1;
  return when(repairs >= state.limits.repairs, fmt::format("{} in a row", repairs));
}

Holds rounds_spent(const State& state) {
  const auto rounds = static_cast<int64_t>(current_attempts(state).size());
  return when(rounds >= state.limits.rounds_per_sub_task, fmt::format("{}", rounds));
}

Holds nothing_left(const State& state) {
  return when(state.plans.empty() ||
              state.begun_sub_tasks >= static_cast<int64_t>(state.plans.back().sub_tasks.size()));
}

Holds of_test(Condition condition, const EventBody* event) {
  const Tested* tested = event == nullptr ? nullptr : std::get_if<Tested>(event);
  if (tested == nullptr || tested->outcome == Outcome::kRight) {
    return std::nullopt;
  }
  return when(condition == Condition::kTestFailed || tested->incumbent_fails, tested->fingerprint);
}

Holds no_room(const EventBody* event) {
  const NoRoom* told = event == nullptr ? nullptr : std::get_if<NoRoom>(event);
  return told == nullptr ? std::nullopt : Holds(told->why);
}

}  // namespace

std::optional<std::string> holds(Condition condition, const State& state, const EventBody* event) {
  const auto has_outcome = [](Outcome outcome) {
    return [outcome](const Attempt& each) { return each.outcome == outcome; };
  };
  switch (condition) {
    case Condition::kAlways:
      return "";
    case Condition::kBudgetSpent:
      return budget_spent(state);
    case Condition::kTimeSpent:
      return time_spent(state);
    case Condition::kRunRoundsSpent:
      return when(static_cast<int64_t>(state.attempts.size()) >= state.limits.rounds,
                  fmt::format("{}", state.attempts.size()));
    case Condition::kTargetReached:
      return target_reached(state);
    case Condition::kProgramAtFloor:
      return program_at_floor(state);
    case Condition::kNothingLeft:
      return nothing_left(state);
    case Condition::kEnvironment:
    case Condition::kTestFailed:
      return of_test(condition, event);
    case Condition::kStepAtFloor:
      return step_at_floor(state);
    case Condition::kRoundsSpent:
      return rounds_spent(state);
    case Condition::kRepairsSpent:
      return repairs_spent(state);
    case Condition::kReplansLeft:
      return when(state.replans < state.limits.replans);
    case Condition::kTwoNotCompiled:
      return last_two(state, has_outcome(Outcome::kNotCompiled));
    case Condition::kTwoWrong:
      return last_two(state, has_outcome(Outcome::kWrong));
    case Condition::kTwoAlike:
      return two_alike(state);
    case Condition::kTwoDegenerate:
      return last_two(state, is_degenerate);
    case Condition::kDoubt:
      return when(!state.feedback.empty() && !state.feedback.back().doubt.empty(),
                  state.feedback.empty() ? "" : state.feedback.back().doubt);
    case Condition::kLastNotCompiled:
      return last_is(state, Outcome::kNotCompiled);
    case Condition::kLastWrong:
      return last_is(state, Outcome::kWrong);
    case Condition::kNoRoom:
      return no_room(event);
  }
  return std::nullopt;
}

bool is_faster(const Time& candidate, const Time& incumbent) {
  if (candidate.kind == TimeKind::kMeasured && incumbent.kind == TimeKind::kMeasured) {
    return candidate.high_us < incumbent.low_us;
  }
  return candidate.kind == incumbent.kind && candidate.us <= incumbent.us * (1 - kCountedGain);
}

}  // namespace stitch::agents
