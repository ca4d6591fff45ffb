// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/live_text.h"

#include <gtest/gtest.h>

namespace stitch::cli {
namespace {

const std::map<std::string, std::string> kRoles = {{"planner", "large"}, {"coder", "small"}, {"verifier", "expert"}};
const std::optional<agents::Time> kStart = agents::Time{.us = 16};

agents::State drafting() {
  agents::State state{.task = {}, .limits = {}, .incumbent = {.program = agents::Time{.us = 12.3}}};
  state.plans = {{.version = 1, .author = agents::Author::kModel, .sub_tasks = {{.name = "fc1"}, {.name = "sum"}}}};
  state.begun_sub_tasks = 1;
  state.activity = agents::Activity::kDraft;
  return state;
}

std::string shown(const std::vector<LiveLine>& lines) {
  std::string text;
  for (const LiveLine& line : lines) {
    text += line.stage + ": " + line.message + "\n";
  }
  return text;
}

TEST(LiveText, SaysWhoWorks) {
  agents::State state = drafting();
  EXPECT_EQ(shown({*who_works(state, kRoles)}), "coder: small drafts fc1\n");
  state.activity = agents::Activity::kRepairCompile;
  EXPECT_EQ(shown({*who_works(state, kRoles)}), "coder: small repairs fc1: it does not compile\n");
  state.activity = agents::Activity::kFeedback;
  EXPECT_EQ(shown({*who_works(state, kRoles)}), "verifier: expert reviews fc1\n");
  state.activity = agents::Activity::kReplan;
  EXPECT_EQ(shown({*who_works(state, kRoles)}), "planner: large plans anew\n");
  state.activity = agents::Activity::kStopped;
  EXPECT_FALSE(who_works(state, kRoles).has_value());
}

TEST(LiveText, SaysTheRoundAndTheBest) {
  agents::State state = drafting();
  EXPECT_EQ(round_text(state), "0/200, 1/2 fc1");
  EXPECT_EQ(best_text(state, kStart), "12.3 us -23 %, 0 tokens");
  state.ledger = {{.prompt_tokens = 12'000, .answer_tokens = 345, .is_estimated = true, .microdollars = 20'000}};
  state.limits.tokens = 50'000;
  state.limits.microdollars = 1'000'000;
  state.limits.seconds = 300;
  EXPECT_EQ(best_text(state, kStart), "12.3 us -23 %, about 12.35k/50k tokens, 0.02/1 $, 300 s at most");
  EXPECT_EQ(best_text(state, agents::Time{.kind = agents::TimeKind::kMeasured, .us = 16}).substr(0, 9), "12.3 us, ");
}

TEST(LiveText, NewsAreWhatStays) {
  const agents::State before = drafting();
  agents::State planned = before;
  planned.plans.push_back(before.plans.front());
  planned.plans.back().version = 2;
  planned.plans.back().trigger = "the last two are wrong";
  EXPECT_EQ(shown(news(before, planned, {agents::Planned{}}, kRoles, kStart)),
            "plan: 2 by large: 2 sub-tasks, since the last two are wrong\nsub-task: 1 of 2: fc1\n");
  agents::State tested = before;
  tested.attempts.push_back(
      {.outcome = agents::Outcome::kRight, .program = agents::Time{.us = 8}, .replaced_incumbent = true});
  tested.activity = agents::Activity::kProfile;
  EXPECT_EQ(shown(news(before, tested, {agents::Tested{}}, kRoles, kStart)),
            "attempt: 1 at fc1: right, 8.0 us executed -50 %, the best so far\n");
  agents::State stopped = before;
  stopped.activity = agents::Activity::kStopped;
  stopped.decisions.push_back({.reason = "the budget is spent"});
  EXPECT_EQ(shown(news(before, stopped, {agents::Advised{}}, kRoles, kStart)),
            "agents: stopped: the budget is spent\n");
  EXPECT_EQ(shown(news(before, before, {agents::Retrieved{}}, kRoles, kStart)), "");
}

// A model may name a sub-task as it likes.
TEST(LiveText, WhatModelsWriteSteersNoTerminal) {
  agents::State state = drafting();
  state.plans.front().sub_tasks.front().name = "\x1b[2J\nfc1\r";
  for (const std::string& text : {round_text(state), who_works(state, kRoles)->message,
                                  shown(news(state, state, {agents::Declined{"\x1b[31mno\n"}}, kRoles, kStart))}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\r'), std::string::npos);
  }
}

}  // namespace
}  // namespace stitch::cli
