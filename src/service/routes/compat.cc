// SPDX-License-Identifier: Apache-2.0
#include "service/routes/compat.h"

#include <fmt/format.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "service/routes/answers.h"

namespace stitch::service {
namespace {

constexpr int kTries = 3;
constexpr std::chrono::seconds kLook{25};

struct Asked {
  std::string run;
  std::string task;
  std::string response;
};

Json request_of(const Asked& asked, int attempt) {
  const std::string key = sha256_hex(asked.task + "\n" + asked.response);
  return {{"schema", kEvaluationSchema},
          {"request_id", fmt::format("{}:{}:{}", asked.run, key, attempt)},
          {"task", {{"id", asked.task}}},
          {"candidate", {{"format", "completion"}, {"text", asked.response}}},
          {"trial", {{"run_id", asked.run}}}};
}

Result<std::string> text_member(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name) || !json[name].is_string()) {
    return failure(ErrorCode::kUsage, fmt::format("{} is missing or no text", name));
  }
  return json[name].get<std::string>();
}

class Compat {
 public:
  Compat(http::Exchange& exchange, Evaluations& evaluations) : exchange_(exchange), evaluations_(evaluations) {}

  http::Response answer() {
    const Result<Json> body = read_body(exchange_.request());
    if (!body.has_value()) {
      return http::refusal(400, body.error().message);
    }
    return exchange_.request().path == "/compat/slime" ? answer_slime(*body) : answer_openrlhf(*body);
  }

 private:
  // One after the other is waited for, all are under way.
  http::Response rewards_of(const std::vector<Asked>& all, std::vector<Json>* answers) {
    for (const Asked& asked : all) {
      const Admission admission = evaluations_.admit(request_of(asked, 0));
      if (admission.status != 202) {
        return refusal_of(admission);
      }
    }
    for (const Asked& asked : all) {
      const http::Response failed = reward_of(asked, answers);
      if (failed.status != 200) {
        return failed;
      }
    }
    return {};
  }

  // 200: the answer was added.
  http::Response reward_of(const Asked& asked, std::vector<Json>* answers) {
    std::string why = "the service ends";
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const Admission admission = evaluations_.admit(request_of(asked, attempt));
      if (admission.status != 202) {
        return refusal_of(admission);
      }
      Json answer = {{"status", "queued"}};
      while (answer["status"] != "done" && answer["status"] != "cancelled" && !exchange_.stop().is_wished()) {
        const Result<std::optional<Json>> said = evaluations_.wait(admission.id, kLook, exchange_.stop());
        if (!said.has_value() || !said->has_value()) {
          return http::refusal(503, said.has_value() ? "the evaluation is gone" : said.error().message);
        }
        answer = **said;
      }
      if (answer["status"] == "done" && answer["reward"]["value"].is_number()) {
        answers->push_back(std::move(answer));
        return {};
      }
      why = answer.value("sentence", why);
    }
    return refusal_of({.status = 503, .id = {}, .sentence = "no verdict: " + why, .retry_after_s = 2});
  }

  http::Response answer_slime(const Json& body) {
    const Result<std::string> response = text_member(body, "response");
    const Result<std::string> label = text_member(body, "label");
    if (!response.has_value() || !label.has_value()) {
      return http::refusal(400, !response.has_value() ? response.error().message : label.error().message);
    }
    std::vector<Json> answers;
    const http::Response failed = rewards_of({{"slime", *label, *response}}, &answers);
    return failed.status == 200 ? json_response(200, answers[0]["reward"]["value"]) : failed;
  }

  // A query is the prompt with its response.
  http::Response answer_openrlhf(const Json& body) {
    const auto list = [&](const char* name) {
      return body.is_object() && body.contains(name) && body[name].is_array() ? body[name] : Json::array();
    };
    const Json queries = list("query");
    const Json prompts = list("prompts");
    const Json labels = list("labels");
    std::vector<Asked> all;
    for (size_t i = 0; i < queries.size() && queries.size() == labels.size(); ++i) {
      if (!queries[i].is_string() || !labels[i].is_string()) {
        return http::refusal(400, "query and labels are lists of texts");
      }
      std::string response = queries[i].get<std::string>();
      const std::string prompt = i < prompts.size() && prompts[i].is_string() ? prompts[i].get<std::string>() : "";
      response.erase(0, response.starts_with(prompt) ? prompt.size() : 0);
      all.push_back({"openrlhf", labels[i].get<std::string>(), std::move(response)});
    }
    if (all.empty()) {
      return http::refusal(400, "query and labels are lists of one length, and not empty");
    }
    std::vector<Json> answers;
    const http::Response failed = rewards_of(all, &answers);
    return failed.status == 200 ? json_response(200, lists_of(answers)) : failed;
  }

  static Json lists_of(const std::vector<Json>& answers) {
    Json rewards = Json::array();
    Json compiled = Json::array();
    Json correct = Json::array();
    for (const Json& answer : answers) {
      rewards.push_back(answer["reward"]["value"]);
      compiled.push_back(answer["metrics"]["compiled"]);
      correct.push_back(answer["metrics"]["correct"]);
    }
    return {{"rewards", rewards}, {"scores", correct}, {"extra_logs", {{"compiled", compiled}, {"correct", correct}}}};
  }

  http::Exchange& exchange_;
  Evaluations& evaluations_;
};

}  // namespace

http::Response answer_compat(http::Exchange& exchange, Evaluations& evaluations) {
  return Compat(exchange, evaluations).answer();
}

}  // namespace stitch::service
