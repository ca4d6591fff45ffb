// SPDX-License-Identifier: Apache-2.0
// The systems tests of a service: what is said of a request, whatever dies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <set>
#include <thread>

#include "service/testing/small_service.h"
#include "store/open/open_store.h"

namespace stitch::service {
namespace {

using Answer = SmallService::Answer;

TEST(EvaluationsTest, ARightCandidateHasItsReward) {
  SmallService service;
  service.start();
  service.start_workers();
  const Answer answer = service.post(SmallService::request("a", kRightCandidate));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["outcome"], "ok");
  EXPECT_EQ(answer.json["trainable"], true);
  EXPECT_DOUBLE_EQ(answer.json["reward"]["value"], 0.5 * 1.125);
  EXPECT_DOUBLE_EQ(answer.json["reward"]["rubric_multiplier"], 1.125);
  EXPECT_EQ(answer.json["rubric"]["total"], 16);
  EXPECT_EQ(answer.json["metrics"]["correct"], 1);
  EXPECT_TRUE(answer.json["metrics"]["speedup_eager"].is_null());
  EXPECT_EQ(answer.json["feedback"]["text"], "The answer is right.");
  EXPECT_EQ(service.executions(), 1);  // its verdict with its marks
}

// S1
TEST(EvaluationsTest, TheSameRequestFiftyTimesAtOnceIsExecutedOnce) {
  SmallService service;
  service.start();
  service.start_workers(2);
  std::vector<std::thread> clients;
  std::vector<std::string> answers(50);
  for (std::string& answer : answers) {
    clients.emplace_back(
        [&] { answer = service.post(SmallService::request("a", kRightCandidate)).json["reward"].dump(); });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(std::set<std::string>(answers.begin(), answers.end()).size(), 1U);
  EXPECT_NE(answers[0].find("0.5625"), std::string::npos);
  EXPECT_EQ(service.executions(), 1);
  EXPECT_EQ(service.post(SmallService::request("a", candidate_of("wrong"))).status, 409);
}

TEST(EvaluationsTest, MembersInAnotherOrderAreTheSameBody) {
  SmallService service;
  service.start();
  const Json request = SmallService::request("a", kRightCandidate);
  Json turned = {{"candidate", request["candidate"]},
                 {"task", request["task"]},
                 {"request_id", "a"},
                 {"schema", request["schema"]}};
  EXPECT_EQ(service.post(request, "0").status, 202);
  EXPECT_EQ(service.post(turned, "0").status, 202);
}

struct Ending {
  const char* code;
  const char* outcome;
  bool has_reward;
};

// S3, of the service's side: what the verb says of each, in tests/service the candidates themselves.
TEST(EvaluationsTest, EveryEndHasItsOutcomeAndTheWorkerGoesOn) {
  SmallService service;
  service.start();
  service.start_workers(4);
  const std::string build_failed = candidate_of("build_failed");
  const std::string wrong = candidate_of("wrong");
  const std::string crashed = candidate_of("crashed");
  const std::string timed_out = candidate_of("timed_out");
  const std::string cheated = candidate_of("cheated");
  const std::string unsupported = candidate_of("unsupported");
  const std::string ill = candidate_of("ill_conditioned");
  const std::vector<Ending> endings = {
      {build_failed.c_str(), "compile_error", true},
      {wrong.c_str(), "mismatch", true},
      {crashed.c_str(), "runtime_error", true},
      {timed_out.c_str(), "timeout", true},
      {cheated.c_str(), "hack", true},
      {unsupported.c_str(), "static_reject", true},
      {ill.c_str(), "infra_error", false},
      {"sleep 60\n", "timeout", true},
      {"exec perl -e '$x = \"x\" x 300000000; sleep 60'\n", "runtime_error", true},
      {"head -c 30000000 /dev/zero\n", "infra_error", false},
      {"kill -SEGV $$\n", "infra_error", false},
      {"echo '{\"error\": {\"message\": \"no such program\"}}'; exit 3\n", "infra_error", false}};
  int number = 0;
  std::vector<Json> requests;
  for (const Ending& ending : endings) {
    Json request = SmallService::request(std::to_string(++number), ending.code);
    request["limits"] = {{"compile_s", 3}, {"verify_s", 0.1}, {"mem_mb", 200}};
    requests.push_back(request);
    EXPECT_EQ(service.post(request, "0").status, 202);
  }
  for (size_t i = 0; i < endings.size(); ++i) {
    const Ending& ending = endings[i];
    const Answer answer = service.post(requests[i]);
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json["outcome"], ending.outcome) << ending.code << answer.body;
    EXPECT_EQ(answer.json["reward"]["value"].is_number(), ending.has_reward) << ending.code;
    EXPECT_EQ(answer.json["trainable"], ending.has_reward) << ending.code;
  }
  EXPECT_EQ(service.post(SmallService::request("last", kRightCandidate)).json["outcome"], "ok");
}

TEST(EvaluationsTest, AnAnswerWithoutCodeIsJudgedAtOnce) {
  SmallService service;
  service.start();
  Json request = SmallService::request("a", "");
  request["candidate"]["text"] = "I cannot.";
  const Answer answer = service.post(request, "0");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.json["outcome"], "invalid_output");
  EXPECT_EQ(answer.json["reward"]["value"], 0.0);
  EXPECT_EQ(answer.json["feedback"]["text"], "the answer holds no fence of code.");
}

// S4
TEST(EvaluationsTest, WhatEveryWorkerDiesOnIsTheWorldsAndTheQueueMovesOn) {
  SmallService service;
  service.start();
  service.start_workers();
  ASSERT_EQ(service.post(SmallService::request("bad", "kill -9 $$\n"), "0").status, 202);
  EXPECT_EQ(service.post(SmallService::request("good", kRightCandidate)).json["outcome"], "ok");
  const Answer answer = service.post(SmallService::request("bad", "kill -9 $$\n"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["outcome"], "infra_error");
  EXPECT_TRUE(answer.json["reward"]["value"].is_null());
  EXPECT_EQ(answer.json["trainable"], false);
  EXPECT_NE(answer.json["sentence"].get<std::string>().find("3 workers took this job"), std::string::npos);
}

// S8
TEST(EvaluationsTest, MoreThanTheQueueHoldsAreToldToComeAgainAndAllEnd) {
  SmallService service;
  service.start([](EvaluationsOptions& options) { options.max_open = 10; });
  std::atomic<int> refused = 0;
  std::atomic<int> wrong_refusals = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 20; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 5; ++i) {
        const Json request = SmallService::request(fmt::format("{}-{}", client, i), candidate_of("wrong"));
        Answer answer = service.post(request);
        for (; answer.status == 429; answer = service.post(request)) {
          ++refused;
          wrong_refusals += answer.headers.contains("Retry-After") ? 0 : 1;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        const bool is_judged = answer.status == 200 && answer.json["outcome"] == "mismatch";
        EXPECT_TRUE(is_judged) << answer.status << ": " << answer.body;
        done += is_judged ? 1 : 0;
      }
    });
  }
  while (refused == 0 && done < 100) {  // before anybody works
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  service.start_workers(2);
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(done, 100);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(wrong_refusals, 0);
}

bool waits_for(const std::filesystem::path& file) {
  for (int i = 0; i < 2000 && !std::filesystem::exists(file); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::filesystem::exists(file);
}

TEST(EvaluationsTest, CancellingReachesTheWorker) {
  SmallService service;
  service.start();
  service.start_workers();
  const std::string hangs = "touch \"$STITCHCUDA_NODE/begun\"; trap 'touch \"$STITCHCUDA_NODE/gone\"' TERM; sleep 60\n";
  const Answer posted = service.post(SmallService::request("a", hangs), "0");
  ASSERT_TRUE(waits_for(service.folder() / "begun"));
  const std::string place = "/v1/evaluations/" + posted.json["id"].get<std::string>();
  const Answer cancelled = service.ask("DELETE", place);
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.json["status"], "cancelled");
  EXPECT_EQ(cancelled.json["trainable"], false);
  EXPECT_EQ(service.post(SmallService::request("b", kRightCandidate)).json["outcome"], "ok");  // the worker is free
  EXPECT_EQ(service.ask("GET", place).json["status"], "cancelled");
}

TEST(EvaluationsTest, AServiceThatEndedGoesOnWithWhatWasOpen) {
  SmallService service;
  service.start();
  ASSERT_EQ(service.post(SmallService::request("a", kRightCandidate), "0").status, 202);
  service.stop();
  service.start();
  service.start_workers();
  EXPECT_EQ(service.post(SmallService::request("a", kRightCandidate)).json["outcome"], "ok");
  EXPECT_EQ(service.executions(), 1);
  service.stop();
  service.start();
  EXPECT_EQ(service.post(SmallService::request("a", kRightCandidate), "0").json["outcome"], "ok");
  EXPECT_EQ(service.executions(), 1);
}

TEST(EvaluationsTest, AStoreThatLostItsJobsIsAskedAgain) {
  SmallService service;
  service.start([](EvaluationsOptions& options) { options.submit_again_ms = 100; });
  const Answer posted = service.post(SmallService::request("a", kRightCandidate), "0");
  const std::unique_ptr<store::Store> store =
      store::open_store("sqlite:" + (service.folder() / "jobs.db").string()).value();
  const std::optional<store::Lease> lease = store->pull({store::JobClass::kBuild, "thief"}).value();
  ASSERT_TRUE(lease.has_value());
  ASSERT_TRUE(store->drop(lease->run, {lease->id}).has_value());
  service.start_workers();
  EXPECT_EQ(service.post(SmallService::request("a", kRightCandidate)).json["outcome"], "ok");
}

TEST(EvaluationsTest, TheSameWorkUnderAnotherNameIsKnownUnlessNobodyWantsThat) {
  SmallService service;
  service.start();
  service.start_workers();
  ASSERT_EQ(service.post(SmallService::request("a", kRightCandidate)).status, 200);
  const Answer again = service.post(SmallService::request("b", kRightCandidate));
  EXPECT_EQ(again.json["cache"]["correctness"], true);
  EXPECT_DOUBLE_EQ(again.json["reward"]["value"], 0.5625);
  EXPECT_EQ(service.executions(), 1);
  Json request = SmallService::request("c", kRightCandidate);
  request["cache"] = "none";
  EXPECT_EQ(service.post(request).json["cache"]["correctness"], false);
  EXPECT_EQ(service.executions(), 2);
}

TEST(EvaluationsTest, ARefinementNamesWhatItRefinesAndWhatItWasTold) {
  SmallService service;
  service.start();
  service.start_workers();
  const Answer first = service.post(SmallService::request("a", candidate_of("wrong")));
  Json request = SmallService::request("b", std::string(kRightCandidate) +
                                                "ls in/previous > \"$STITCHCUDA_NODE/previous\"\n"
                                                "cp in/feedback.txt \"$STITCHCUDA_NODE\"\n");
  request["task"]["skill"] = "refine";
  request["context"] = {{"previous_sha256", first.json["evidence"]["candidate_sha256"]},
                        {"feedback_sha256", first.json["feedback"]["sha256"]},
                        {"turn", 2}};
  EXPECT_EQ(service.post(request).json["outcome"], "ok");
  EXPECT_EQ(read_file(service.folder() / "previous").value(), "program.cu\n");
  EXPECT_EQ(read_file(service.folder() / "feedback.txt").value(), "It is wrong.");
  request["request_id"] = "c";
  request["context"]["previous_sha256"] = std::string(64, '0');
  EXPECT_EQ(service.post(request).status, 400);
}

TEST(EvaluationsTest, WhoDrainsTakesNoMoreAndAnswersWhatIsThere) {
  SmallService service;
  service.start();
  ASSERT_EQ(service.post(SmallService::request("a", kRightCandidate), "0").status, 202);
  service.evaluations().drain();
  EXPECT_EQ(service.post(SmallService::request("b", kRightCandidate), "0").status, 503);
  EXPECT_EQ(service.ask("GET", "/readyz").status, 503);
  service.start_workers();
  EXPECT_EQ(service.post(SmallService::request("a", kRightCandidate)).json["outcome"], "ok");
}

TEST(EvaluationsTest, NobodyWaitsForWorkersForever) {
  SmallService service;
  service.start();
  Json request = SmallService::request("a", kRightCandidate);
  request["limits"] = {{"queue_s", 0.1}, {"compile_s", 0.1}, {"verify_s", 0.01}, {"profile_s", 0.01}};
  const Answer answer = service.post(request);
  EXPECT_EQ(answer.json["outcome"], "infra_error");
  EXPECT_TRUE(answer.json["reward"]["value"].is_null());
}

// S9
struct JudgeCase {
  const char* what;
  Result<Json> reply;
  const char* status;
  double value;
};

TEST(EvaluationsTest, AJudgeThatFailsIsCountedAndItsMultiplierIsOne) {
  const std::vector<JudgeCase> cases = {
      {"down", failure(ErrorCode::kEnvironment, "connection refused"), "fallback", 0.5},
      {"slow", failure(ErrorCode::kTimeout, "nothing came in time"), "fallback", 0.5},
      {"malformed", failure(ErrorCode::kFileInvalid, "the judge's answer is no JSON"), "fallback", 0.5},
      {"without marks", Json{{"total", nullptr}}, "fallback", 0.5},
      {"lowers", Json{{"total", 4}, {"dimensions", Json::array()}, {"judge", {{"major_hack", false}}}}, "ok", 0.375},
      {"flags", Json{{"total", 4}, {"dimensions", Json::array()}, {"judge", {{"major_hack", true}}}}, "ok", 0.0}};
  for (const JudgeCase& each : cases) {
    SmallService service;
    service.start([&](EvaluationsOptions& options) {
      options.judge = [&](const ServedTask&, const std::vector<farm::PlacedFile>&, const Json&) { return each.reply; };
    });
    service.start_workers();
    const Answer answer = service.post(SmallService::request("a", kRightCandidate));
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.json["rubric"]["status"], each.status) << each.what;
    EXPECT_DOUBLE_EQ(answer.json["reward"]["value"], each.value) << each.what << answer.body;
    const bool is_fallback = std::string(each.status) == "fallback";
    EXPECT_EQ(answer.json["reward"]["rubric_multiplier"] == 1.0, is_fallback) << each.what;
    EXPECT_EQ(service.evaluations().counters().is_judge_failing(), is_fallback);
  }
}

TEST(CountersTest, TheAlarmIsAboveOneInTwenty) {
  Counters counters;
  for (int i = 0; i < 19; ++i) {
    counters.add_judged(false);
  }
  counters.add_judged(true);
  EXPECT_FALSE(counters.is_judge_failing());
  counters.add_judged(true);
  EXPECT_TRUE(counters.is_judge_failing());
}

double process_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// S6. What a machine with other work would make of seconds by the wall is chance: processor time of all threads.
TEST(EvaluationsTest, AnEvaluationCostsLittleBesideItsWork) {
  SmallService service;
  service.start();
  std::atomic<bool> is_over = false;
  std::thread worker([&] {  // ends each job at once
    const std::unique_ptr<store::Store> store =
        store::open_store("sqlite:" + (service.folder() / "jobs.db").string()).value();
    const farm::Artefacts artefacts(service.folder() / "artefacts");
    farm::JobResult result;
    result.answer =
        artefacts.put(R"({"verdict": {"kind": "wrong", "reason": "", "detail": ""}, "feedback": "no"})").value();
    while (!is_over) {
      const std::optional<store::Lease> lease = store->pull({store::JobClass::kBuild, "w"}).value();
      if (lease.has_value()) {
        EXPECT_TRUE(store->complete(*lease, to_text(result)).has_value());
      } else {
        EXPECT_TRUE(store->wait_for_work(store::JobClass::kBuild, 100).has_value());
      }
    }
  });
  constexpr int kCount = 200;
  const double begun = process_seconds();
  for (int i = 0; i < kCount; ++i) {
    EXPECT_EQ(service.post(SmallService::request(std::to_string(i), fmt::format("number {}\n", i))).json["outcome"],
              "mismatch");
  }
  const double each_ms = 1000 * (process_seconds() - begun) / kCount;
  is_over = true;
  worker.join();
  EXPECT_LT(each_ms, 10) << "two processors would do fewer than 200 a second";
}

}  // namespace
}  // namespace stitch::service
