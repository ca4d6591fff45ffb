// SPDX-License-Identifier: Apache-2.0
#include "rewards/service.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "http/client/client.h"
#include "rewards/members.h"

namespace stitch::rewards {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongPollSeconds = 25;
constexpr size_t kMaxInBatch = 256;
constexpr size_t kMaxBatchBytes = size_t{4} << 20U;
constexpr size_t kMaxShown = 300;

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool may_try_again(int64_t status) { return status == 202 || status == 429 || status >= 500; }

// What is still open of one call.
struct Open {
  size_t place = 0;  // of the candidate
  std::string body{};
  std::string last = "the service was not reached";  // what was heard of it
};

class ServiceEvaluator final : public Evaluator {
 public:
  ServiceEvaluator(ServiceSettings settings, http::Destination destination)
      : settings_(std::move(settings)), destination_(std::move(destination)) {}

  Result<std::vector<Judgement>> evaluate(std::span<const Candidate> candidates) override {
    const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(settings_.deadline_s * 1000));
    std::vector<Judgement> judgements(candidates.size());
    std::vector<Open> open;
    for (size_t i = 0; i < candidates.size(); ++i) {
      open.push_back({i, json_text(request_of(candidates[i], settings_))});
    }
    int failures = 0;
    while (!open.empty() && Clock::now() < deadline) {
      const size_t before = open.size();
      STITCH_ASSIGN(const bool has_failed, ask_about(open, judgements, deadline));
      failures = has_failed && open.size() == before ? failures + 1 : 0;
      if (failures > 0 && !open.empty()) {
        pause(failures, deadline);
      }
    }
    for (const Open& left : open) {
      judgements[left.place] = no_verdict("no answer until the deadline; " + left.last);
    }
    return judgements;
  }

 private:
  static double seconds_to(Clock::time_point deadline) {
    return std::max(0.0, std::chrono::duration<double>(deadline - Clock::now()).count());
  }

  // The service says how long where it knows; this is for connections that fail, and is kept short.
  static void pause(int failures, Clock::time_point deadline) {
    const double seconds = std::min(10.0, 0.1 * std::pow(2.0, std::min(failures, 10)));
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, seconds_to(deadline))));
  }

  // One round over all that are open; those that ended leave. Whether some of it was not taken.
  Result<bool> ask_about(std::vector<Open>& open, std::vector<Judgement>& judgements, Clock::time_point deadline) {
    std::vector<Open> left;
    bool has_failed = false;
    for (size_t first = 0; first < open.size();) {
      size_t last = first;
      size_t bytes = 0;
      while (last < open.size() && last - first < kMaxInBatch && (last == first || bytes < kMaxBatchBytes)) {
        bytes += open[last++].body.size();
      }
      // All are posted before any is waited for.
      const double wait = last == open.size() ? std::min(kLongPollSeconds, seconds_to(deadline)) : 0;
      const std::span<Open> batch(open.data() + first, last - first);
      STITCH_ASSIGN(const bool failed, ask_batch(batch, wait, judgements, left));
      has_failed = has_failed || failed;
      first = last;
    }
    open = std::move(left);
    return has_failed;
  }

  Result<bool> ask_batch(std::span<Open> batch, double wait, std::vector<Judgement>& judgements,
                         std::vector<Open>& left) {
    std::string body = "{\"evaluations\": [";
    for (size_t i = 0; i < batch.size(); ++i) {
      body += (i == 0 ? "" : ",") + batch[i].body;
    }
    const auto patience = std::chrono::milliseconds(static_cast<int64_t>((wait + 30) * 1000));
    const http::Call post{.method = "POST",
                          .target = "/v1/evaluations:batch?wait=" + std::to_string(wait),
                          .body = body + "]}",
                          .headers = {{"Authorization", "Bearer " + settings_.token}},
                          .patience = patience};
    const auto heard = http::call(destination_, post);
    std::string last = heard.has_value() ? "" : heard.error().message;
    if (heard.has_value() && heard->status == 200) {
      const auto answer = parse_json(heard->body, "the service's answer");
      const Json list = answer.has_value() && answer->is_object() ? answer->value("evaluations", Json()) : Json();
      if (list.is_array() && list.size() == batch.size()) {
        return read_batch(batch, list, judgements, left);
      }
      last = "it answered with something else than evaluations";
    } else if (heard.has_value()) {
      last = sentence_of(heard->status, heard->body);
      if (!may_try_again(heard->status)) {
        return refused(last);
      }
    }
    for (Open& each : batch) {
      each.last = last;
      left.push_back(std::move(each));
    }
    return true;
  }

  Result<bool> read_batch(std::span<Open> batch, const Json& list, std::vector<Judgement>& judgements,
                          std::vector<Open>& left) const {
    bool has_failed = false;
    for (size_t i = 0; i < batch.size(); ++i) {
      const Json& item = list[i];
      const Json said = item.is_object() ? item.value("http_status", Json()) : Json();
      const int64_t status = said.is_number_integer() ? said.get<int64_t>() : 0;
      if (status == 200) {
        judgements[batch[i].place] = judgement_of(item, settings_.earned);
        continue;
      }
      batch[i].last = sentence_of(status, json_text(item));
      if (!may_try_again(status)) {
        return refused(batch[i].last);
      }
      has_failed = has_failed || status != 202;
      left.push_back(std::move(batch[i]));
    }
    return has_failed;
  }

  static std::string sentence_of(int64_t status, const std::string& body) {
    const auto json = parse_json(body, "the service's answer");
    const std::string error = json.has_value() ? text_in(*json, "error") : "";
    if (status == 202) {
      return "it had not ended";
    }
    return std::to_string(status) + ": " + printable_line(error.empty() ? body : error, kMaxShown);
  }

  Unexpected refused(const std::string& what) const {
    return failure(ErrorCode::kUsage, "the evaluation service refuses a request (" + what + ")", settings_.url,
                   "see that url, token, tasks and profile are those of this service (GET /v1/tasks)");
  }

  ServiceSettings settings_;
  http::Destination destination_;
};

}  // namespace

Json request_of(const Candidate& candidate, const ServiceSettings& settings) {
  const bool refines = candidate.skill == Skill::kRefinement || candidate.turn > 0;
  Json request = {{"schema", "stitchcuda.eval/1"}};
  request["task"] = {{"id", candidate.task}, {"skill", refines ? "refine" : "generate"}};
  request["candidate"] = {{"format", "completion"}, {"text", candidate.text}};
  if (refines && (!candidate.previous_sha256.empty() || !candidate.feedback_sha256.empty())) {
    Json context = {{"turn", candidate.turn}};
    if (!candidate.previous_sha256.empty()) {
      context["previous_sha256"] = candidate.previous_sha256;
    }
    if (!candidate.feedback_sha256.empty()) {
      context["feedback_sha256"] = candidate.feedback_sha256;
    }
    request["context"] = std::move(context);
  }
  request["trial"] = {{"run_id", candidate.run},
                      {"step", candidate.step},
                      {"group_id", candidate.prompt},
                      {"sample_index", candidate.sample}};
  if (!settings.stages.empty()) {
    request["stages"] = settings.stages;
  }
  if (!settings.profile.empty()) {
    request["reward"] = {{"profile", settings.profile}};
  }
  if (!settings.gpu.empty()) {
    request["target"] = {{"gpu", settings.gpu}};
  }
  if (!settings.cache.empty()) {
    request["cache"] = settings.cache;
  }
  request["request_id"] = candidate.run + ":" + sha256_hex(json_text(request) + std::to_string(candidate.turn));
  return request;
}

Judgement judgement_of(const Json& answer, Earned earned) {
  const Json reward = answer.value("reward", Json::object());
  const Json value = reward.is_object() ? reward.value("value", Json()) : Json();
  const bool is_known = text_in(answer, "status") == "done" && answer.value("trainable", Json()) == Json(true) &&
                        value.is_number() && std::isfinite(value.get<double>());
  if (!is_known) {
    const std::string sentence = text_in(answer, "sentence");
    return no_verdict(sentence.empty() ? "the service gave no reward" : sentence);
  }
  Judgement judgement{.reward = value.get<double>(), .outcome = text_in(answer, "outcome")};
  if (earned != Earned::kValue) {
    const Json part = reward.value(earned == Earned::kRule ? "rule" : "milestone", Json());
    judgement.reward = part.is_number() && std::isfinite(part.get<double>()) ? part.get<double>() : 0.0;
  }
  const Json rubric = answer.value("rubric", Json::object());
  const bool has_flag = rubric.is_object() && rubric.value("flag_major", Json()) == Json(true);
  judgement.is_pass = judgement.outcome == "ok" && !has_flag;
  judgement.is_hack = judgement.outcome == "hack" || has_flag;
  judgement.sentence = text_in(answer, "sentence");
  const Json feedback = answer.value("feedback", Json::object());
  judgement.feedback = text_in(feedback, "text");
  judgement.feedback_sha256 = text_in(feedback, "sha256");
  judgement.candidate_sha256 = text_in(answer.value("evidence", Json::object()), "candidate_sha256");
  add_numbers(reward, "", judgement.parts);
  judgement.parts.erase("value");
  add_numbers(answer.value("metrics", Json()), "", judgement.parts);
  if (rubric.is_object()) {
    add_numbers(rubric.value("dims", Json()), "rubric.", judgement.parts);
  }
  return judgement;
}

Result<std::string> service_token(const std::string& file) {
  if (const char* const told = std::getenv("STITCHCUDA_SERVE_TOKEN"); told != nullptr && *told != '\0') {
    return std::string(told);
  }
  if (file.empty()) {
    return failure(ErrorCode::kUsage, "there is no token for the evaluation service", "evaluator.token_file",
                   "name the file that 'stitchcuda serve --token-file' has, or set STITCHCUDA_SERVE_TOKEN");
  }
  STITCH_ASSIGN(std::string token, read_file(file));
  token.erase(std::find_if(token.rbegin(), token.rend(), [](unsigned char c) { return c > ' '; }).base(), token.end());
  const bool is_one_word = std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (token.empty() || !is_one_word) {
    return failure(ErrorCode::kUsage, "the file holds no token of the evaluation service", file,
                   "name the file that 'stitchcuda serve --token-file' has");
  }
  return token;
}

Result<std::unique_ptr<Evaluator>> service_evaluator(const ServiceSettings& settings) {
  STITCH_ASSIGN(http::Destination destination, http::read_url(settings.url));
  return std::unique_ptr<Evaluator>(std::make_unique<ServiceEvaluator>(settings, std::move(destination)));
}

}  // namespace stitch::rewards
