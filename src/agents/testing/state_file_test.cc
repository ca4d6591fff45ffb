// SPDX-License-Identifier: Apache-2.0
// The file of a run is read with suspicion: each member that is missing, of another kind or altered is refused by name.
#include <gtest/gtest.h>

#include "agents/state/state_json.h"
#include "agents/testing/script.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

// Every list has something in it, and every part that may be absent is there.
Json full_state() {
  State state = play(
                    "task target_us=10 floor_us=5\nlimits tokens=100000 microdollars=9 gpu_seconds=8 seconds=7\n"
                    "expert us=100\nspent tokens=3\nplanned a:floor=3 b\nround wrong C1\n"
                    "round right step=40 program=80\nwritten s1\nenvironment_failed no_server")
                    .state;
  PlanVersion& plan = state.plans.at(0);
  plan.bottlenecks = {"memory"};
  plan.risks = {"overflow"};
  state.attempts.at(0).replaced = {"s0"};
  state.writing->replaced = {"s0"};
  plan.sub_tasks.at(0).nodes = {"n1"};
  plan.sub_tasks.at(0).contract = {"f32[4]"};
  state.passed_over = {plan};
  state.feedback.at(0).issue = Issue{"what", "why", "fix"};
  state.feedback.at(1).bottleneck = Bottleneck{.what = "copies", .figures = {{"hit rate", 0.5}}};
  state.notes = {{.attempt = 1, .text = "tiles of 64 overflow"}};
  return to_json(state);
}

std::string message(const Json& json) {
  const Result<State> state = state_from_json(json);
  return state.has_value() ? "" : state.error().message;
}

// The places of all values inside, as JSON pointers, parents before children.
void collect(const Json& json, const std::string& place, std::vector<std::string>& places) {
  for (const auto& [key, value] : json.items()) {
    const std::string inside = place + "/" + key;
    places.push_back(inside);
    if (value.is_structured()) {
      collect(value, inside, places);
    }
  }
}

TEST(StateFile, ReadsBackTheSame) {
  const Json json = full_state();
  const Result<State> state = state_from_json(json);
  ASSERT_TRUE(state.has_value()) << state.error().message;
  EXPECT_EQ(to_json(*state), json);
}

TEST(StateFile, WithoutAMemberIsRefusedByItsName) {
  const Json whole = full_state();
  std::vector<std::string> places;
  collect(whole, "", places);
  ASSERT_GT(places.size(), 200U);
  int removed = 0;
  for (const std::string& place : places) {
    const Json::json_pointer at(place);
    Json damaged = whole;
    if (damaged.at(at.parent_pointer()).is_array()) {
      continue;
    }
    damaged.at(at.parent_pointer()).erase(at.back());
    const std::string name = place == "/schema" ? "stitchcuda.state/1" : at.back() + " is missing";
    EXPECT_NE(message(damaged).find(name), std::string::npos) << place << ": " << message(damaged);
    ++removed;
  }
  EXPECT_GT(removed, 150);
}

TEST(StateFile, WithAMemberOfAnotherKindIsRefused) {
  const Json whole = full_state();
  std::vector<std::string> places;
  collect(whole, "", places);
  for (const std::string& place : places) {
    for (const Json& other : {Json(Json::array({1})), Json(Json::object({{"x", 1}})), Json(true), Json(1e300)}) {
      Json damaged = whole;
      Json& member = damaged.at(Json::json_pointer(place));
      const bool is_number = member.is_number_float() || (member.is_null() && other.is_number());
      if (member.type() == other.type() || (is_number && other.is_number())) {
        continue;
      }
      member = other;
      EXPECT_NE(message(damaged), "") << place << " as " << other.dump();
    }
  }
}

TEST(StateFile, ThatContradictsItselfIsRefused) {
  const auto altered = [](const char* place, const Json& value) {
    Json json = full_state();
    json.at(Json::json_pointer(place)) = value;
    return message(json).substr(std::string("the state of a run cannot be taken: ").size());
  };
  EXPECT_EQ(altered("/activity", "draft"), "it is 'draft' and says where it was paused");
  EXPECT_EQ(altered("/paused_at", nullptr), "it is 'paused' and does not say where it was paused");
  EXPECT_EQ(altered("/paused_at", "next_sub_task"), "no run waits in 'next_sub_task'");
  EXPECT_EQ(altered("/writing", nullptr), "it waits in 'test' without code to test");
  EXPECT_EQ(altered("/writing/activity", "plan"), "its code was written in 'plan'");
  EXPECT_EQ(altered("/begun_sub_tasks", 3), "3 of 2 sub-tasks cannot have been begun");
  EXPECT_EQ(altered("/begun_sub_tasks", 0), "it waits in 'test' before any sub-task");
  EXPECT_EQ(altered("/replans", 3), "3 of 2 replans cannot have been made");
  EXPECT_EQ(altered("/limits/rounds", 0), "a limit on rounds or sub-tasks is below 1");
  EXPECT_EQ(altered("/limits/sub_tasks", 1), "plan 1 has 2 sub-tasks, over 1");
  EXPECT_EQ(altered("/limits/tokens", -1), "a limit of its budget is negative");
  EXPECT_EQ(altered("/plans/0/version", 2), "plan 1 calls itself version 2");
  EXPECT_EQ(altered("/attempts/1/number", 1), "attempt 2 calls itself 1");
  EXPECT_EQ(altered("/attempts/1/sub_task", 2), "attempt 2 is at sub-task 2 of plan 1, which is not there");
  EXPECT_EQ(altered("/attempts/0/activity", "test"), "attempt 1 was written in 'test'");
  EXPECT_EQ(altered("/attempts/1/outcome", "wrong"), "attempt 2 is wrong and has a time, or is the best");
  EXPECT_EQ(altered("/notes/0/attempt", 9),
            "a profile, a feedback, a note or a step names an attempt that was not made");
  EXPECT_EQ(altered("/decisions/1/from", "plan"), "decision 2 leaves 'plan' where the run was in 'next_sub_task'");
  EXPECT_EQ(altered("/decisions/0/attempts", 1), "decision 2 was made after 0 attempts, which cannot be");
  EXPECT_EQ(altered("/decisions", Json::array()), "its decisions end in 'plan' and it is in 'paused'");
  EXPECT_EQ(altered("/attempts/0/number", uint64_t{1} << 63), "state.attempts[0].number is not an integer");
  EXPECT_EQ(altered("/task/floor_us", "5"), "state.task.floor_us is not a finite number");
  EXPECT_EQ(altered("/attempts/0/outcome", "rigth"),
            "state.attempts[0].outcome is \"rigth\", none of unreadable, not_compiled, wrong, right");
}

TEST(StateFile, WithAMemberMoreIsRefused) {
  Json json = full_state();
  json["plans"][0]["colour"] = "red";
  EXPECT_NE(message(json).find("state.plans[0].colour is no member that we know"), std::string::npos) << message(json);
}

}  // namespace
}  // namespace stitch::agents
