// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "service/testing/small_service.h"

namespace stitch::service {
namespace {

using Answer = SmallService::Answer;

TEST(RoutesTest, WhoHasNoTokenLearnsThatItLives) {
  SmallService service;
  service.start();
  EXPECT_EQ(service.ask("GET", "/healthz", "", "wrong").status, 200);
  EXPECT_EQ(service.ask("GET", "/readyz", "", "wrong").status, 200);
  for (const char* path : {"/metrics", "/openapi.json", "/v1/tasks", "/v1/evaluations/ev-1", "/nothing"}) {
    EXPECT_EQ(service.ask("GET", path, "", "wrong").status, 401) << path;
  }
  EXPECT_EQ(service.ask("POST", "/v1/evaluations", "{}", "").status, 401);
}

TEST(RoutesTest, WhatCannotBeAnsweredSaysWhy) {
  SmallService service;
  service.start();
  EXPECT_EQ(service.ask("GET", "/nothing").status, 404);
  EXPECT_EQ(service.ask("GET", "/v1/evaluations").status, 405);
  EXPECT_EQ(service.ask("GET", "/v1/evaluations/ev-1").status, 404);
  EXPECT_EQ(service.ask("DELETE", "/v1/evaluations/ev-1").status, 404);
  EXPECT_EQ(service.ask("POST", "/v1/evaluations", "{").status, 400);
  EXPECT_EQ(service.ask("POST", "/v1/evaluations", std::string(9999, '[')).status, 400);
  EXPECT_EQ(service.post(SmallService::request("a", "x"), "soon").status, 400);
  Json request = SmallService::request("a", "x");
  request["task"]["id"] = "rely";
  EXPECT_EQ(service.post(request).json["error"], "there is no task 'rely' (did you mean 'relu'?)");
  request = SmallService::request("a", "x");
  request["reward"] = {{"profile", "stitchcuda_v1"}};
  EXPECT_EQ(service.post(request).json["error"],
            "the reward stitchcuda_v1 needs times, which the emulated device has not");
  request = SmallService::request("a", "x");
  request["task"]["version"] = "0";
  EXPECT_EQ(service.post(request).status, 400);
}

TEST(RoutesTest, ABatchAnswersOneByOne) {
  SmallService service;
  service.start();
  service.start_workers();
  Json bad = SmallService::request("c", "x");
  bad["task"]["id"] = "none";
  const Json batch = {
      {"evaluations",
       {SmallService::request("a", candidate_of("wrong")), SmallService::request("b", candidate_of("crashed")), bad}}};
  const Answer answer = service.ask("POST", "/v1/evaluations:batch?wait=20", batch.dump());
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json& list = answer.json["evaluations"];
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0]["outcome"], "mismatch");
  EXPECT_EQ(list[1]["outcome"], "runtime_error");
  EXPECT_EQ(list[2]["http_status"], 400);
}

TEST(RoutesTest, OtherTrainersAreAnsweredInTheirForms) {
  SmallService service;
  service.start();
  service.start_workers();
  const std::string right = std::string("```cuda\n") + kRightCandidate + "```\n";
  const std::string wrong = "```cuda\n" + candidate_of("wrong") + "```\n";
  Answer answer =
      service.ask("POST", "/compat/slime", Json{{"prompt", "p"}, {"response", right}, {"label", "relu"}}.dump());
  EXPECT_EQ(answer.body, "0.5625\n");
  const Json lists = {{"query", {"p" + right, "p" + wrong}}, {"prompts", {"p", "p"}}, {"labels", {"relu", "relu"}}};
  answer = service.ask("POST", "/compat/openrlhf", lists.dump());
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["rewards"].size(), 2U);
  EXPECT_EQ(answer.json["rewards"][0], 0.5625);
  EXPECT_EQ(answer.json["scores"].dump(), "[1,0]");
  const std::string dies = "```cuda\necho 'no room' >&2; exit 4\n```\n";
  answer = service.ask("POST", "/compat/slime", Json{{"response", dies}, {"label", "relu"}}.dump());
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("Retry-After"), "2");
  EXPECT_EQ(service.ask("POST", "/compat/slime", "{}").status, 400);
  EXPECT_EQ(service.ask("POST", "/compat/openrlhf", "{}").status, 400);
}

TEST(RoutesTest, MetricsTellWhatHappened) {
  SmallService service;
  service.start();
  service.start_workers();
  service.post(SmallService::request("a", candidate_of("wrong")));
  const std::string text = service.ask("GET", "/metrics").body;
  for (const char* line :
       {"stitchcuda_serve_evaluations_total{outcome=\"mismatch\"} 1\n", "stitchcuda_serve_open 0\n",
        "stitchcuda_serve_answers_total{status=\"200\"} 1\n", "stitchcuda_store_up 1\n",
        "stitchcuda_store_jobs{class=\"build\",state=\"waiting\"} 0\n", "stitchcuda_serve_judge_alarm 0\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace stitch::service
