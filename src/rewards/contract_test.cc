// SPDX-License-Identifier: Apache-2.0
// What every evaluator holds to, whoever judges behind it; then what is particular to each.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "http/server/serve.h"
#include "rewards/command.h"
#include "rewards/rule.h"
#include "rewards/service.h"

namespace stitch::rewards {
namespace {

// All of them judge by the same: a "good" is worth 1, "cheat" is a hack and worth nothing, the rest is worth 0.
constexpr const char* kJudge = R"(
import json, sys
for line in open(sys.argv[1]):
    text = json.loads(line)["text"]
    hack, good = "cheat" in text, "good" in text
    reward = None if "broken" in text else float(good and not hack)
    print(json.dumps({"reward": reward, "pass": good and not hack, "hack": hack, "parts": {"good": float(good)}}))
)";

Json answer_to(const Json& request) {
  const std::string text = request["candidate"]["text"].get<std::string>();
  const bool is_hack = text.find("cheat") != std::string::npos;
  const bool is_good = text.find("good") != std::string::npos && !is_hack;
  const bool is_broken = text.find("broken") != std::string::npos;
  Json answer = {{"status", "done"}, {"http_status", 200}, {"trainable", !is_broken}};
  answer["outcome"] = is_broken ? "infra_error" : is_hack ? "hack" : is_good ? "ok" : "mismatch";
  answer["reward"] = {{"value", is_broken ? Json() : Json(is_good ? 1.0 : 0.0)}, {"rule", 1.0}, {"milestone", nullptr}};
  answer["metrics"] = {{"correct", is_good ? 1 : 0}, {"speedup_eager", nullptr}};
  answer["rubric"] = {{"status", "ok"}, {"flag_major", false}, {"dims", {{"coverage", 4}}}};
  answer["feedback"] = {{"text", "it is wrong"}, {"sha256", "f"}};
  answer["evidence"] = {{"candidate_sha256", "c"}};
  return answer;
}

// A service of one thread whose answers a test may change.
class StubService {
 public:
  // Of one request; null: it is not done yet.
  using Answer = std::function<Json(const Json& request, int round)>;

  explicit StubService(Answer answer) : answer_(std::move(answer)) {
    std::promise<int> port;
    auto known = port.get_future();
    thread_ = std::thread([this, told = std::move(port)]() mutable {
      const auto served = http::serve(
          {}, [this](http::Exchange& exchange) { exchange.answer(respond(exchange)); },
          [&](int listening) { told.set_value(listening); }, stop_);
      EXPECT_TRUE(served.has_value());
    });
    port_ = known.get();
  }
  ~StubService() {
    stop_.wish();
    thread_.join();
  }

  ServiceSettings settings() const {
    ServiceSettings settings{.url = "http://127.0.0.1:" + std::to_string(port_), .token = "secret"};
    settings.deadline_s = 20;
    return settings;
  }
  std::atomic<int> rounds = 0;
  std::atomic<int> status = 200;  // of all of it

 private:
  http::Response respond(const http::Exchange& exchange) {
    const http::Request& request = exchange.request();
    const int round = rounds++;
    if (request.header("authorization") != "Bearer secret") {
      return http::refusal(401, "no token");
    }
    if (const int now = status.exchange(200); now != 200) {
      return http::refusal(now, "as the test wants it");
    }
    const Json body = parse_json(request.body, "body").value();
    Json list = Json::array();
    for (const Json& each : body["evaluations"]) {
      const Json answer = answer_(each, round);
      list.push_back(answer.is_null() ? Json{{"status", "running"}, {"http_status", 202}} : answer);
    }
    return {.body = Json{{"evaluations", list}}.dump()};
  }

  Answer answer_;
  Stop stop_;
  int port_ = 0;
  std::thread thread_;
};

class Contract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    if (kind == "rule") {
      evaluator_ = rule_evaluator({.rules = {{.name = "good", .find = "good"},
                                             {.name = "cheat", .find = "cheat", .points = 0, .is_hack = true}}});
    } else if (kind == "command") {
      ASSERT_TRUE(write_file(folder_.path() / "judge.py", kJudge).has_value());
      evaluator_ = command_evaluator({.arguments = {"python3", (folder_.path() / "judge.py").string()}});
    } else {
      service_ = std::make_unique<StubService>([](const Json& request, int) { return answer_to(request); });
      evaluator_ = service_evaluator(service_->settings()).value();
    }
  }

  TemporaryDirectory folder_ = TemporaryDirectory::make("contract").value();
  std::unique_ptr<StubService> service_;
  std::unique_ptr<Evaluator> evaluator_;
};

std::vector<Candidate> candidates_of(const std::vector<std::string>& texts) {
  std::vector<Candidate> candidates;
  for (const std::string& text : texts) {
    candidates.push_back({.task = "relu", .text = text, .run = "run", .prompt = "p", .sample = 3});
    candidates.back().sample = static_cast<int64_t>(candidates.size());
  }
  return candidates;
}

TEST_P(Contract, JudgesInOrderAndTheSameTwice) {
  const auto candidates = candidates_of({"good", "bad", "good cheat", "", "\xff\xfe good\n\"", "good"});
  const auto judged = evaluator_->evaluate(candidates);
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  ASSERT_EQ(judged->size(), 6U);
  const std::vector<double> rewards = {1, 0, 0, 0, 1, 1};
  for (size_t i = 0; i < rewards.size(); ++i) {
    const Judgement& one = (*judged)[i];
    ASSERT_TRUE(one.reward.has_value()) << i << one.sentence;
    EXPECT_EQ(*one.reward, rewards[i]) << i;
    EXPECT_EQ(one.is_pass, rewards[i] == 1) << i;
    EXPECT_EQ(one.is_hack, i == 2) << i;
    EXPECT_EQ(one.outcome, i == 2 ? "hack" : rewards[i] == 1 ? "ok" : "mismatch") << i;
    EXPECT_FALSE(one.parts.empty()) << i;
  }
  const auto again = evaluator_->evaluate(candidates);
  ASSERT_TRUE(again.has_value());
  for (size_t i = 0; i < judged->size(); ++i) {
    EXPECT_EQ((*again)[i].reward, (*judged)[i].reward);
    EXPECT_EQ((*again)[i].parts, (*judged)[i].parts);
  }
  EXPECT_TRUE(evaluator_->evaluate({}).value().empty());
}

// A rule is no world that could fail.
TEST_P(Contract, AFailingWorldIsNoReward) {
  if (std::string(GetParam()) == "rule") {
    GTEST_SKIP() << "rules are computed here: nothing of them can fail";
  }
  const auto judged = evaluator_->evaluate(candidates_of({"good", "broken"})).value();
  EXPECT_EQ(judged[0].reward, 1);
  EXPECT_FALSE(judged[1].reward.has_value());
  EXPECT_EQ(judged[1].outcome, "infra_error");
  EXPECT_FALSE(judged[1].is_pass);
}

INSTANTIATE_TEST_SUITE_P(Every, Contract, testing::Values("rule", "command", "service"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Rules, PointsOccurrencesTasksAndNeeds) {
  RuleSettings settings{.rules = {{.name = "a", .find = "ab", .points = 0.5, .most = 3},
                                  {.name = "b", .find = "x", .points = 2, .task = "other"},
                                  {.name = "c", .find = "end", .points = 0, .is_needed = true},
                                  {.name = "h", .find = "!", .points = 5, .is_hack = true}},
                        .pass_at = 1};
  const auto judged = [&](const std::string& text) {
    return rule_evaluator(settings)->evaluate(candidates_of({text})).value()[0];
  };
  EXPECT_EQ(judged("ababababab x end").reward, 1.5);
  EXPECT_TRUE(judged("abab end").is_pass);
  EXPECT_FALSE(judged("abab").is_pass);
  EXPECT_EQ(judged("abab").feedback, "There is no 'end'.\n");
  EXPECT_EQ(judged("ab!").reward, 0);
  EXPECT_EQ(judged("ab!").parts.at("h"), 5);
  settings.is_hack_zeroed = false;
  EXPECT_EQ(judged("ab!").reward, 5.5);
  EXPECT_TRUE(judged("ab!").is_hack);
}

TEST(Command, WhatFailsLeavesAllWithoutAReward) {
  const auto sentence = [](const std::string& script, double timeout_s = 60) {
    CommandSettings settings{.arguments = {"python3", "-c", script}};
    settings.timeout_s = timeout_s;
    const auto judged = command_evaluator(settings)->evaluate(candidates_of({"a", "b"})).value();
    EXPECT_EQ(judged.size(), 2U);
    EXPECT_FALSE(judged[0].reward.has_value() || judged[1].reward.has_value());
    return judged[1].sentence;
  };
  EXPECT_EQ(sentence("print('{\"reward\": 1}')"), "the command that judges printed 1 lines for 2 answers");
  EXPECT_NE(sentence("print('no JSON\\n' * 2)").find("the command's answer"), std::string::npos);
  EXPECT_NE(sentence("print('{\"reward\": \"1\"}\\n' * 2)").find("neither a finite number nor null"),
            std::string::npos);
  EXPECT_NE(sentence("import sys; sys.exit('no GPU')").find("exit status 1: no GPU"), std::string::npos);
  EXPECT_NE(sentence("import time; time.sleep(60)", 0.2).find("did not end in time"), std::string::npos);
}

TEST(Service, AsksAgainUntilAllHaveEnded) {
  StubService service([](const Json& request, int round) {
    return request["trial"]["sample_index"].get<int>() > round ? Json() : answer_to(request);
  });
  service.status = 503;
  const auto judged = service_evaluator(service.settings()).value()->evaluate(candidates_of({"good", "bad", "good"}));
  ASSERT_TRUE(judged.has_value()) << judged.error().message;
  EXPECT_EQ((*judged)[2].reward, 1);
  EXPECT_EQ(service.rounds, 4);
}

TEST(Service, WhatIsNotJudgedByTheDeadlineHasNoReward) {
  StubService service([](const Json&, int) { return Json(); });
  ServiceSettings settings = service.settings();
  settings.deadline_s = 0.3;
  const auto slow = service_evaluator(settings).value()->evaluate(candidates_of({"good"})).value();
  EXPECT_FALSE(slow[0].reward.has_value());
  EXPECT_EQ(slow[0].sentence, "no answer until the deadline; it had not ended");
  settings.url = "http://127.0.0.1:1";
  const auto nobody = service_evaluator(settings).value()->evaluate(candidates_of({"good"})).value();
  EXPECT_NE(nobody[0].sentence.find("could not connect"), std::string::npos) << nobody[0].sentence;
}

TEST(Service, ARefusalIsAnErrorWithItsSentence) {
  StubService service([](const Json&, int) { return Json{{"http_status", 400}, {"error", "no task 'relu'"}}; });
  const auto refused = service_evaluator(service.settings()).value()->evaluate(candidates_of({"good"}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_NE(refused.error().message.find("400: no task 'relu'"), std::string::npos) << refused.error().message;
  ServiceSettings settings = service.settings();
  settings.token = "other";
  const auto unknown = service_evaluator(settings).value()->evaluate(candidates_of({"good"}));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message.find("other"), std::string::npos);  // a token is never shown
}

TEST(Service, TheSameCandidateHasTheSameRequest) {
  const auto id = [](const Candidate& candidate) { return request_of(candidate, {})["request_id"].get<std::string>(); };
  const Candidate one = candidates_of({"good"})[0];
  EXPECT_EQ(id(one), id(one));
  for (const auto& change : std::vector<std::function<void(Candidate&)>>{
           [](Candidate& c) { c.step = 1; }, [](Candidate& c) { c.sample = 9; }, [](Candidate& c) { c.text = "x"; },
           [](Candidate& c) { c.turn = 1; }, [](Candidate& c) { c.prompt = "q"; }}) {
    Candidate other = one;
    change(other);
    EXPECT_NE(id(other), id(one));
  }
  Candidate refinement = one;
  refinement.skill = Skill::kRefinement;
  refinement.previous_sha256 = "before";
  const Json request = request_of(refinement, {.profile = "stitch_v1", .cache = "none"});
  EXPECT_EQ(request["task"]["skill"], "refine");
  EXPECT_EQ(request["context"]["previous_sha256"], "before");
  EXPECT_EQ(request["reward"]["profile"], "stitch_v1");
  EXPECT_EQ(request["cache"], "none");
}

TEST(Service, AMajorFlagIsAHack) {
  Json answer = answer_to({{"candidate", {{"text", "good"}}}});
  EXPECT_TRUE(judgement_of(answer).is_pass);
  EXPECT_EQ(judgement_of(answer).parts.at("rubric.coverage"), 4);
  EXPECT_EQ(judgement_of(answer).parts.count("speedup_eager"), 0U);
  answer["rubric"]["flag_major"] = true;
  EXPECT_TRUE(judgement_of(answer).is_hack);
  EXPECT_FALSE(judgement_of(answer).is_pass);
  for (const Json& strange : {Json::object(), Json{{"status", "cancelled"}}, Json{{"status", "done"}, {"reward", 3}}}) {
    EXPECT_FALSE(judgement_of(strange).reward.has_value());
  }
}

TEST(Service, APartOfTheRewardIsLearnedFromWhereItIsAskedFor) {
  Json answer = answer_to({{"candidate", {{"text", "good"}}}});
  answer["reward"] = {{"value", 0.75}, {"rule", 0.5}, {"milestone", nullptr}};
  EXPECT_EQ(judgement_of(answer).reward, 0.75);
  EXPECT_EQ(judgement_of(answer, Earned::kRule).reward, 0.5);
  EXPECT_EQ(judgement_of(answer, Earned::kMilestone).reward, 0.0);  // nothing was earned so
  answer["reward"]["value"] = nullptr;
  EXPECT_FALSE(judgement_of(answer, Earned::kRule).reward.has_value());
}

TEST(Service, TheTokenIsOneWord) {
  const TemporaryDirectory folder = TemporaryDirectory::make("token").value();
  ASSERT_TRUE(write_file(folder.path() / "good", "abc\n").has_value());
  ASSERT_TRUE(write_file(folder.path() / "bad", "a\r\nX: y").has_value());
  EXPECT_EQ(service_token((folder.path() / "good").string()).value(), "abc");
  EXPECT_FALSE(service_token((folder.path() / "bad").string()).has_value());
  EXPECT_FALSE(service_token("").has_value());
}

}  // namespace
}  // namespace stitch::rewards
