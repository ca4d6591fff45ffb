// SPDX-License-Identifier: Apache-2.0
#include "runs/record/agents_record.h"

#include <gtest/gtest.h>

#include "base/json/json.h"
#include "runs/record/run_record.h"

namespace stitch::runs {
namespace {

AgentsRecord whole_record() {
  AgentsRecord agents{.system = "stitch",
                      .without = {"profile"},
                      .roles = {{"coder", "small"}, {"planner", "expert"}, {"verifier", "small"}},
                      .prompts = {{"coder", "ab12"}},
                      .limits = {.tokens = 50'000, .rounds = 200, .rounds_per_sub_task = 10},
                      .spent = {.requests = 3, .prompt_tokens = 900, .is_estimated = true, .dollars = 0.25},
                      .activity = "paused",
                      .sub_task = "gelu",
                      .reason = "the environment failed",
                      .paused_by = "no route to host",
                      .replans = 1};
  agents.plans = {{.version = 1, .author = "expert", .trigger = "", .summary = "as cut", .sub_tasks = {"gelu", "sum"}}};
  agents.attempts = {{.number = 1,
                      .sub_task = "gelu",
                      .activity = "draft",
                      .outcome = "right",
                      .digest = "cd34",
                      .program = AgentsTime{"executed", 4.5},
                      .replaced_incumbent = true}};
  agents.first = AgentsTime{"executed", 9};
  agents.incumbent = AgentsTime{"executed", 4.5};
  agents.writers = {{"00_gelu", "small", 1}, {"01_sum", "expert", 0}};
  return agents;
}

TEST(AgentsRecord, IsTheSameWhenItIsReadBack) {
  const Json written = to_json(whole_record());
  const Result<AgentsRecord> read = agents_record_from_json(written);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(to_json(*read), written);
  EXPECT_EQ(read->limits.tokens, 50'000);
  EXPECT_EQ(read->limits.dollars, std::nullopt);
  EXPECT_EQ(read->attempts.at(0).program->us, 4.5);
}

TEST(AgentsRecord, WhatIsAbsentHasItsDefault) {
  const Result<AgentsRecord> read = agents_record_from_json(Json::object());
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->attempts.empty());
  EXPECT_FALSE(read->incumbent.has_value());
}

TEST(AgentsRecord, AMemberOfAnotherKindIsRefusedByItsName) {
  const std::vector<std::pair<const char*, Json>> altered = {{"/system", 7},
                                                             {"/roles/coder", Json::array()},
                                                             {"/limits/tokens", 1.5},
                                                             {"/spent/dollars", "1"},
                                                             {"/attempts/0/program", "fast"},
                                                             {"/attempts/0/number", uint64_t{1} << 63},
                                                             {"/writers", Json::object()},
                                                             {"/plans/0", "none"},
                                                             {"/spent/tokens_are_estimated", 1}};
  for (const auto& [place, value] : altered) {
    Json json = to_json(whole_record());
    json[Json::json_pointer(place)] = value;
    const Result<AgentsRecord> read = agents_record_from_json(json);
    ASSERT_FALSE(read.has_value()) << place;
    EXPECT_EQ(read.error().code, ErrorCode::kFileInvalid);
    EXPECT_NE(read.error().message.find("is not of the kind that we write"), std::string::npos);
  }
  EXPECT_FALSE(agents_record_from_json(Json(3)).has_value());
}

TEST(AgentsRecord, RecordsOfTheOlderFormAreStillRead) {
  RunRecord run;
  run.id = "20261121-130455-mlp-3f2a";
  run.started = "2026-11-21T13:04:55Z";
  run.agents = whole_record();
  Json json = to_json(run);
  EXPECT_EQ(json["schema"], "stitchcuda.run/2");
  EXPECT_EQ(to_json(*run_record_from_json(json)), json);
  json["schema"] = "stitchcuda.run/1";
  json.erase("agents");
  const Result<RunRecord> older = run_record_from_json(json);
  ASSERT_TRUE(older.has_value()) << older.error().message;
  EXPECT_FALSE(older->agents.has_value());
  json["schema"] = "stitchcuda.run/3";
  EXPECT_FALSE(run_record_from_json(json).has_value());
}

}  // namespace
}  // namespace stitch::runs
