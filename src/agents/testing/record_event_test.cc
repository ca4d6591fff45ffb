// SPDX-License-Identifier: Apache-2.0
// What becomes of the incumbent's steps when a text takes over a group of nodes, and of plans that were passed over.
#include "agents/routing/record_event.h"

#include <gtest/gtest.h>

#include "agents/state/state_json.h"
#include "agents/testing/script.h"

namespace stitch::agents {
namespace {

Time counted(double us) { return {.us = us, .low_us = us, .high_us = us}; }

// The expert's three steps at 100 us, a draft of a group under way.
State before(std::vector<std::string> changed, std::vector<std::string> replaced) {
  State state = play("expert us=100\nplanned a b").state;
  for (const char* step : {"00_p", "01_q", "02_r"}) {
    state.incumbent.steps.push_back({.step = step});
  }
  record_event(state, {.body = Written{.digest = "d", .changed = std::move(changed), .replaced = std::move(replaced)}});
  return state;
}

Event tested(double us, std::vector<TriedStep> steps) {
  return {.body = Tested{.step = counted(us), .program = counted(us), .steps = std::move(steps)}};
}

std::string owners(const State& state) {
  std::string text;
  for (const StepOwner& each : state.incumbent.steps) {
    text += each.step + " " + to_string(each.author) + " " + std::to_string(each.attempt) + "\n";
  }
  return text;
}

TEST(Incumbent, OfAGroupHasTheStepsThatAreLeft) {
  State state = before({"00_p_q"}, {"00_p", "01_q"});
  record_event(state, tested(80, {{.step = "00_p_q", .is_tried = true}, {.step = "01_r", .before = "02_r"}}));
  EXPECT_EQ(owners(state), "00_p_q model 1\n01_r expert 0\n");
  EXPECT_EQ(state.attempts.back().gained_us, 20);
}

// Of an earlier text that shares a node with the group the rest is the expert's again; one that shares none stays.
TEST(Incumbent, KeepsWhoWroteWhatIsNotTakenOver) {
  State state = before({"02_r"}, {"02_r"});
  record_event(state, tested(90, {{.step = "00_p", .before = "00_p"},
                                  {.step = "01_q", .before = "01_q"},
                                  {.step = "02_r", .is_tried = true}}));
  record_event(state, {.body = Written{.digest = "e", .changed = {"00_p_q"}, .replaced = {"00_p", "01_q"}}});
  record_event(state, tested(70, {{.step = "00_p_q", .is_tried = true}, {.step = "01_r", .before = "02_r"}}));
  EXPECT_EQ(owners(state), "00_p_q model 2\n01_r model 1\n");
  record_event(state, {.body = Written{.digest = "f", .changed = {"01_q_r"}, .replaced = {"00_p_q", "01_r"}}});
  record_event(state, tested(50, {{.step = "00_p"}, {.step = "01_q_r", .is_tried = true}}));
  EXPECT_EQ(owners(state), "00_p expert 0\n01_q_r model 3\n");
}

TEST(Incumbent, ThatIsNoFasterStays) {
  State state = before({"00_p_q"}, {"00_p", "01_q"});
  record_event(state, tested(95, {{.step = "00_p_q", .is_tried = true}, {.step = "01_r", .before = "02_r"}}));
  EXPECT_EQ(owners(state), "00_p expert 0\n01_q expert 0\n02_r expert 0\n");
  EXPECT_EQ(state.attempts.back().gained_us, 0);
}

// A group is no degenerate edit because its own name is in no profile yet.
TEST(Attempt, AtAGroupWeighsWhatItTakesOver) {
  State state = before({"00_p_q"}, {"00_p", "01_q"});
  state.profiles = {{.attempt = 0, .steps = {{"00_p", 60}, {"01_q", 20}, {"02_r", 20}}}};
  record_event(state, tested(95, {}));
  EXPECT_DOUBLE_EQ(state.attempts.back().changed_share, 0.8);
  EXPECT_TRUE(state.attempts.back().changed_dominant);
}

// Of a plan that came later, what was answered under the one before counts where the very same nodes are asked for.
TEST(AnsweredSubTasks, AreThoseOfTheLatestPlanWithARightAttempt) {
  const auto answered = [](const State& state) {
    const AnsweredSubTasks found = answered_sub_tasks(state);
    return std::to_string(found.right) + " of " + std::to_string(found.asked);
  };
  State state{.task = {}, .limits = {}, .incumbent = {}};
  EXPECT_EQ(answered(state), "0 of 0");
  state.plans.push_back({.sub_tasks = {{.name = "a", .nodes = {"a"}}, {.name = "b", .nodes = {"b"}}}});
  EXPECT_EQ(answered(state), "0 of 2");
  state.attempts = {{.plan = 1, .sub_task = 0, .outcome = Outcome::kRight},
                    {.plan = 1, .sub_task = 0, .outcome = Outcome::kWrong},
                    {.plan = 1, .sub_task = 1, .outcome = Outcome::kNotCompiled}};
  EXPECT_EQ(answered(state), "1 of 2");
  state.plans.push_back({.version = 2, .sub_tasks = {{.name = "ab", .nodes = {"a", "b"}}}});
  EXPECT_EQ(answered(state), "0 of 1");
  state.plans.push_back({.version = 3, .sub_tasks = {{.name = "x", .nodes = {"a"}}, {.name = "b", .nodes = {"b"}}}});
  state.attempts.push_back({.plan = 3, .sub_task = 1, .outcome = Outcome::kRight});
  EXPECT_EQ(answered(state), "2 of 2");
}

TEST(Planned, KeepsThePlansThatWerePassedOver) {
  State state = play("expert us=100").state;
  record_event(state, {.body = Planned{.plan = {.summary = "best"}, .others = {{.summary = "second"}}}});
  ASSERT_EQ(state.passed_over.size(), 1U);
  EXPECT_EQ(state.passed_over.front().summary, "second");
  EXPECT_EQ(state.passed_over.front().version, state.plans.front().version);
  const Limits limits{.sub_tasks = 1};
  PlanVersion wide{.sub_tasks = std::vector<SubTask>(2)};
  EXPECT_NE(fault_of({.body = Planned{.plan = {}, .others = {wide}}}, limits), "");
}

}  // namespace
}  // namespace stitch::agents
