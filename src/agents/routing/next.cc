// SPDX-License-Identifier: Apache-2.0
#include "agents/routing/next.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/routing/conditions.h"
#include "agents/routing/record_event.h"
#include "agents/routing/routes.h"

namespace stitch::agents {
namespace {

Activity destination(const State& state, const Route& route) {
  if (route.to == Destination::kSame) {
    return state.activity;
  }
  return route.to == Destination::kBefore ? state.paused_at.value() : static_cast<Activity>(route.to);
}

void enter(State& state, Activity to) {
  const Activity from = state.activity;
  state.paused_at = to == Activity::kPaused ? std::optional(from) : std::nullopt;
  state.replans += from == Activity::kFeedback && to == Activity::kReplan ? 1 : 0;
  state.begun_sub_tasks += from == Activity::kNextSubTask && to == Activity::kDraft ? 1 : 0;
  state.activity = to;
}

bool take(State& state, const Route& route, const EventBody* event) {
  const auto figures = holds(route.condition, state, event);
  const auto more = figures.has_value() ? holds(route.also, state, event) : std::nullopt;
  if (!more.has_value()) {
    return false;
  }
  const Activity to = destination(state, route);
  const std::string& told = to == Activity::kPaused ? state.pause_reason : *figures;
  state.decisions.push_back({.from = state.activity,
                             .event = route.event,
                             .condition = route.condition,
                             .also = route.also,
                             .to = to,
                             .attempts = static_cast<int64_t>(state.attempts.size()),
                             .reason = told.empty() ? route.why : fmt::format("{} ({})", route.why, told)});
  enter(state, to);
  return true;
}

bool waits_for(const State& state, EventKind kind) {
  const auto routes = all_routes();
  return std::any_of(routes.begin(), routes.end(),
                     [&](const Route& each) { return each.event == kind && begins_at(each, state.activity); });
}

void decide(State& state, EventKind kind, const EventBody* event) {
  const Activity from = state.activity;
  for (const Route& route : all_routes()) {
    if (route.event == kind && begins_at(route, from) && take(state, route, event)) {
      return;
    }
  }
  STITCH_CHECK(false) << "no row of the table of routes holds in '" << to_string(from) << "'";
}

// Whether a session drew groups before: it is one session, and a run that was told so for ever would not end.
bool has_drawn_groups(const State& state) {
  return std::any_of(state.decisions.begin(), state.decisions.end(),
                     [](const Decision& each) { return each.event == EventKind::kPlanned && is_writing(each.from); });
}

}  // namespace

Result<State> next(const State& before, const Event& event) {
  const EventKind kind = kind_of(event.body);
  if (!waits_for(before, kind)) {
    return failure(ErrorCode::kInternal,
                   fmt::format("a run in '{}' was told '{}'", to_string(before.activity), to_string(kind)));
  }
  if (kind == EventKind::kPlanned && is_writing(before.activity) && has_drawn_groups(before)) {
    return failure(ErrorCode::kInternal, "a run was told twice of groups that a session drew");
  }
  if (const std::string fault = fault_of(event, before.limits); !fault.empty()) {
    return failure(ErrorCode::kInternal, fmt::format("'{}' brings {}", to_string(kind), fault));
  }
  State state = before;
  record_event(state, event);
  decide(state, kind, &event.body);
  while (is_passage(state.activity)) {
    decide(state, EventKind::kEntered, nullptr);
  }
  return state;
}

int64_t max_events(const Limits& limits) {
  constexpr int64_t kOfARound = 5;           // written, tested, profiled, retrieved, advised
  const int64_t plans = limits.replans + 2;  // the first, and one of groups that a session drew
  return plans + kOfARound * limits.rounds + plans * limits.sub_tasks;
}

}  // namespace stitch::agents
