// SPDX-License-Identifier: Apache-2.0
// Whatever a run is told, it ends within its bound, its state contradicts nothing, and its file reads back the same.
#include "agents/routing/next.h"

#include <gtest/gtest.h>

#include <random>

#include "agents/routing/routes.h"
#include "agents/state/state_json.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

// Those that a run waits for.
std::vector<EventKind> awaited(Activity activity) {
  std::vector<EventKind> kinds;
  for (const Route& route : all_routes()) {
    if (begins_at(route, activity)) {
      kinds.push_back(route.event);
    }
  }
  return kinds;
}

class Chance {
 public:
  explicit Chance(uint32_t seed) : engine_(seed) {}
  int64_t below(int64_t end) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(end)); }
  bool one_in(int64_t n) { return below(n) == 0; }

  Limits limits() {
    Limits limits{.rounds_per_sub_task = 1 + below(6),
                  .rounds = 1 + below(30),
                  .repairs = below(4),
                  .replans = below(4),
                  .sub_tasks = 1 + below(5)};
    if (one_in(3)) {
      limits.tokens = 1 + below(40);
    }
    return limits;
  }
  std::vector<std::string> steps() {
    std::vector<std::string> names;
    for (const char* name : {"s1", "s2", "s3"}) {
      if (one_in(2)) {
        names.emplace_back(name);
      }
    }
    return names;
  }
  Time time() {
    const auto us = static_cast<double>(1 + below(100));
    return {.kind = TimeKind::kExecuted, .us = us, .low_us = us, .high_us = us};
  }
  EventBody event(EventKind kind, const Limits& limits);
  // Mostly one that the run waits for.
  EventBody event_for(const State& state) {
    std::vector<EventKind> kinds = awaited(state.activity);
    if (!one_in(20)) {  // it ends every run
      std::erase(kinds, EventKind::kNoRoom);
    }
    if (one_in(8) || kinds.empty()) {
      return event(static_cast<EventKind>(1 + below(static_cast<int64_t>(Names<EventKind>::kList.size()) - 1)),
                   state.limits);
    }
    return event(kinds[static_cast<size_t>(below(static_cast<int64_t>(kinds.size())))], state.limits);
  }

 private:
  std::mt19937 engine_;
};

EventBody Chance::event(EventKind kind, const Limits& limits) {
  switch (kind) {
    case EventKind::kPlanned:
      return Planned{{.sub_tasks = std::vector<SubTask>(static_cast<size_t>(below(limits.sub_tasks + 1)))}};
    case EventKind::kPlanKept:
      return PlanKept{"none"};
    case EventKind::kWritten:
      return Written{"d", steps()};
    case EventKind::kDeclined:
      return Declined{"cannot"};
    case EventKind::kUnreadable:
      return Unreadable{"prose"};
    case EventKind::kTested: {
      const auto outcome = static_cast<Outcome>(1 + below(3));
      const bool is_right = outcome == Outcome::kRight;
      return Tested{outcome, "f", one_in(10), is_right ? std::optional(time()) : std::nullopt,
                    is_right ? std::optional(time()) : std::nullopt};
    }
    case EventKind::kProfiled:
      return Profiled{{{"s1", time().us}, {"s2", time().us}}};
    case EventKind::kRetrieved:
      return Retrieved{};
    case EventKind::kAdvised:
      return Advised{{.doubt = one_in(8) ? "doubt" : ""}};
    case EventKind::kNoRoom:
      return NoRoom{"the request may bring the run to 9 tokens, over 8"};
    case EventKind::kEnvironmentFailed:
      return EnvironmentFailed{"no server"};
    default:
      return Resumed{};
  }
}

bool is_of_pause(const State& before, const State& after) {
  return before.activity == Activity::kPaused || after.activity == Activity::kPaused;
}

TEST(Next, EveryRunEndsWithinItsBound) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Chance chance(seed);
    State state;
    state.limits = chance.limits();
    state.incumbent.program = chance.time();
    int64_t events = 0;
    for (int64_t told = 0; state.activity != Activity::kStopped && told < 20'000; ++told) {
      const Event event{.body = chance.event_for(state), .spent = {{.answer_tokens = chance.below(2)}}};
      const Result<State> after = next(state, event);
      if (!after.has_value()) {
        continue;
      }
      events += is_of_pause(state, *after) ? 0 : 1;
      ASSERT_EQ(contradiction(*after), "") << "seed " << seed;
      state = *after;
    }
    EXPECT_EQ(state.activity, Activity::kStopped) << "seed " << seed;
    EXPECT_LE(events, max_events(state.limits)) << "seed " << seed;
    const Json json = to_json(state);
    const Result<State> again = state_from_json(json);
    ASSERT_TRUE(again.has_value()) << "seed " << seed << ": " << again.error().message;
    EXPECT_EQ(to_json(*again), json) << "seed " << seed;
  }
}

TEST(Next, TheIncumbentIsNeverSlowerThanItWas) {
  for (uint32_t seed = 1000; seed < 1030; ++seed) {
    Chance chance(seed);
    State state;
    state.incumbent.program = chance.time();
    for (int i = 0; i < 300; ++i) {
      const Result<State> after = next(state, {.body = chance.event_for(state)});
      if (after.has_value()) {
        ASSERT_LE(after->incumbent.program->us, state.incumbent.program->us) << "seed " << seed;
        state = *after;
      }
    }
  }
}

TEST(Next, WhatIsSpentIsAddedUpByRoleAndSubTask) {
  State state;
  const Spending coder{.role = Role::kCoder, .requests = 1, .prompt_tokens = 10, .answer_tokens = 5};
  const Spending planner{.role = Role::kPlanner, .requests = 1, .prompt_tokens = 7, .is_estimated = true};
  state = next(state, {Planned{{.sub_tasks = {{.name = "a"}}}}, {planner}}).value();
  state = next(state, {Unreadable{}, {coder}}).value();
  state = next(state, {Written{}, {coder}}).value();
  ASSERT_EQ(state.ledger.size(), 2U);
  EXPECT_EQ(state.ledger[0].plan, 0);
  EXPECT_EQ(state.ledger[1].requests, 2);
  EXPECT_EQ(state.ledger[1].plan, 1);
  EXPECT_EQ(total_spending(state).prompt_tokens, 27);
  EXPECT_TRUE(total_spending(state).is_estimated);
}

TEST(Next, AStepBelongsToWhoeverWroteItsBestCode) {
  State state;
  const auto us = [](double time) { return Time{TimeKind::kExecuted, time, time, time}; };
  state.incumbent = {.program = us(100), .steps = {{.step = "s1"}, {.step = "s2"}}};
  state = next(state, {Planned{{.sub_tasks = {{.name = "a"}}}}}).value();
  state = next(state, {Written{"d", {"s2"}}}).value();
  state = next(state, {Tested{.outcome = Outcome::kRight, .step = us(5), .program = us(80)}}).value();
  EXPECT_TRUE(state.attempts.at(0).replaced_incumbent);
  EXPECT_EQ(state.incumbent.steps.at(0).author, Author::kExpert);
  EXPECT_EQ(state.incumbent.steps.at(1).author, Author::kModel);
  EXPECT_EQ(state.incumbent.steps.at(1).attempt, 1);
}

}  // namespace
}  // namespace stitch::agents
