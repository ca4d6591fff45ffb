// SPDX-License-Identifier: Apache-2.0
#include "service/request/evaluation_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "base/json/json.h"
#include "base/text/printable.h"
#include "rubric/rewards/reward.h"

namespace stitch::service {
namespace {

constexpr size_t kMaxName = 200;
constexpr std::array<const char*, 6> kStages = {"extract", "static", "compile", "verify", "profile", "rubric"};

Unexpected no_request(const std::string& why) {
  return failure(ErrorCode::kUsage, why, "", "docs/formats.md has stitchcuda.eval/1, and GET /openapi.json");
}

using Names = std::initializer_list<const char*>;

Result<void> check_names(const Json& json, const std::string& where, Names names) {
  if (!json.is_object()) {
    return no_request(where + " is no object");
  }
  for (const auto& [key, value] : json.items()) {
    if (std::find_if(names.begin(), names.end(), [&](const char* name) { return key == name; }) == names.end()) {
      return no_request(fmt::format("{} has no member '{}'", where, printable_line(key, 60)));
    }
  }
  return {};
}

// Absent and null are the same; then `*taken` stays.
Result<void> take_text(const Json& json, const std::string& where, const char* name, std::string* taken,
                       size_t max_bytes = kMaxName) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) {
    return {};
  }
  if (!found->is_string() || found->get_ref<const std::string&>().size() > max_bytes) {
    return no_request(fmt::format("{}.{} is no text of at most {} bytes", where, name, max_bytes));
  }
  *taken = found->get<std::string>();
  return {};
}

bool is_plain(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char letter) { return letter > ' ' && letter < '\x7f'; });
}

Result<void> take_one_of(const Json& json, const std::string& where, const char* name, Names names,
                         std::string* taken) {
  STITCH_TRY(take_text(json, where, name, taken));
  if (std::find_if(names.begin(), names.end(), [&](const char* one) { return *taken == one; }) == names.end()) {
    return no_request(
        fmt::format("{}.{} is '{}' and may be {}", where, name, printable_line(*taken, 60), fmt::join(names, ", ")));
  }
  return {};
}

Result<void> read_task(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "task", {"id", "version", "skill", "split"}));
  STITCH_TRY(take_text(json, "task", "id", &request.task_id));
  if (request.task_id.empty()) {
    return no_request("task.id is missing");
  }
  STITCH_TRY(take_text(json, "task", "version", &request.task_version));
  STITCH_TRY(take_text(json, "task", "split", &request.split));
  std::string skill = "generate";
  STITCH_TRY(take_one_of(json, "task", "skill", {"generate", "refine"}, &skill));
  request.refines = skill == "refine";
  return {};
}

Result<void> read_candidate(const Json& json, EvaluationRequest& request) {
  constexpr size_t kMaxText = size_t{64} << 20;  // what is too long is said by who reads the body
  STITCH_TRY(check_names(json, "candidate", {"format", "text", "files", "language"}));
  std::string format;
  STITCH_TRY(take_one_of(json, "candidate", "format", {"completion", "files"}, &format));
  STITCH_TRY(take_one_of(json, "candidate", "language", {"", "python", "cuda"}, &request.language));
  request.is_completion = format == "completion";
  if (request.is_completion != json.contains("text") || request.is_completion == json.contains("files")) {
    return no_request("a candidate has text where it is a completion, and files where it is files");
  }
  if (request.is_completion) {
    return json["text"].is_string() ? take_text(json, "candidate", "text", &request.completion, kMaxText)
                                    : Result<void>(no_request("candidate.text is no text"));
  }
  if (!json["files"].is_array()) {
    return no_request("candidate.files is no list");
  }
  for (const Json& each : json["files"]) {
    CandidateFile file;
    STITCH_TRY(check_names(each, "a file of candidate.files", {"path", "content"}));
    STITCH_TRY(take_text(each, "a file", "path", &file.path, kMaxText));
    STITCH_TRY(take_text(each, "a file", "content", &file.content, kMaxText));
    request.files.push_back(std::move(file));
  }
  return {};
}

Result<void> read_context(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "context", {"previous_sha256", "feedback_sha256", "turn"}));
  STITCH_TRY(take_text(json, "context", "previous_sha256", &request.previous_sha256));
  return take_text(json, "context", "feedback_sha256", &request.feedback_sha256);
}

Result<void> read_trial(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "trial", {"run_id", "step", "group_id", "sample_index", "policy_version", "seed"}));
  STITCH_TRY(take_text(json, "trial", "run_id", &request.run_id, 100));
  if (request.run_id.empty() || !is_plain(request.run_id)) {
    return no_request("trial.run_id is no name of printable characters without spaces");
  }
  return {};
}

// Stages build upon each other: what is asked is how far to go.
Result<void> read_stages(const Json& json, EvaluationRequest& request) {
  std::vector<std::string> asked;
  for (const Json& each : json.is_array() ? json : Json::array()) {
    asked.push_back(each.is_string() ? each.get<std::string>() : "");
  }
  for (const std::string& stage : asked) {
    if (std::find(kStages.begin(), kStages.end(), stage) == kStages.end()) {
      return no_request(
          fmt::format("stages has '{}'; there are {}", printable_line(stage, 60), fmt::join(kStages, ", ")));
    }
  }
  const auto has = [&](const char* stage) { return std::find(asked.begin(), asked.end(), stage) != asked.end(); };
  request.has_verdict = has("verify");
  request.is_timed = has("profile");
  request.is_marked = has("rubric");
  const bool is_extraction = asked.size() == 1 && has("extract");
  if (!json.is_array() || (!request.has_verdict && !is_extraction)) {
    return no_request("stages is a list with extract alone, or with verify: a program is compiled to be judged");
  }
  return {};
}

Result<void> take_limit(const Json& json, const char* name, double* limit) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) {
    return {};
  }
  const double given = found->is_number() ? found->get<double>() : NAN;
  if (!(given > 0)) {
    return no_request(fmt::format("limits.{} is no number above zero", name));
  }
  *limit = std::min(*limit, given);
  return {};
}

Result<void> read_limits(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "limits", {"queue_s", "compile_s", "verify_s", "profile_s", "mem_mb", "output_kb"}));
  EvaluationLimits& limits = request.limits;
  STITCH_TRY(take_limit(json, "queue_s", &limits.queue_s));
  STITCH_TRY(take_limit(json, "compile_s", &limits.compile_s));
  STITCH_TRY(take_limit(json, "verify_s", &limits.verify_s));
  STITCH_TRY(take_limit(json, "profile_s", &limits.profile_s));
  auto megabytes = static_cast<double>(limits.mem_mb);
  auto kilobytes = static_cast<double>(limits.output_kb);
  STITCH_TRY(take_limit(json, "mem_mb", &megabytes));
  STITCH_TRY(take_limit(json, "output_kb", &kilobytes));
  limits.mem_mb = std::max<int64_t>(1, static_cast<int64_t>(megabytes));
  limits.output_kb = std::max<int64_t>(1, static_cast<int64_t>(kilobytes));
  return {};
}

Result<void> read_reward(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "reward", {"profile"}));
  return take_text(json, "reward", "profile", &request.profile);
}

Result<void> read_target(const Json& json, EvaluationRequest& request) {
  STITCH_TRY(check_names(json, "target", {"gpu", "sm", "exclusive"}));
  return take_text(json, "target", "gpu", &request.gpu);
}

Result<void> check_profile(const EvaluationRequest& request) {
  std::vector<std::string> names;
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    names.emplace_back(profile.name);
  }
  return std::find(names.begin(), names.end(), request.profile) != names.end()
             ? Result<void>()
             : Result<void>(no_request(fmt::format("there is no reward profile '{}'; there are {}",
                                                   printable_line(request.profile, 60), fmt::join(names, ", "))));
}

struct Member {
  const char* name;
  Result<void> (*read)(const Json& json, EvaluationRequest& request);
  bool is_needed;
};

constexpr Member kMembers[] = {{"task", read_task, true},        {"candidate", read_candidate, true},
                               {"context", read_context, false}, {"trial", read_trial, false},
                               {"stages", read_stages, false},   {"limits", read_limits, false},
                               {"reward", read_reward, false},   {"target", read_target, false}};

// Members of objects by their names; nesting is that of a body which was read, at most a few deep.
Json sorted(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& each : json) {
      list.push_back(sorted(each));
    }
    return list;
  }
  if (!json.is_object()) {
    return json;
  }
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) {
    names.push_back(key);
  }
  std::sort(names.begin(), names.end());
  Json object = Json::object();
  for (const std::string& name : names) {
    object[name] = sorted(json[name]);
  }
  return object;
}

}  // namespace

Result<EvaluationRequest> read_evaluation_request(const Json& json, const EvaluationLimits& most,
                                                  const std::string& profile) {
  STITCH_TRY(check_names(json, "the request",
                         {"schema", "request_id", "task", "candidate", "context", "trial", "stages", "limits", "reward",
                          "target", "cache"}));
  EvaluationRequest request;
  request.limits = most;
  request.profile = profile;
  std::string schema = kEvaluationSchema;
  STITCH_TRY(take_text(json, "the request", "schema", &schema));
  STITCH_TRY(take_text(json, "the request", "request_id", &request.request_id));
  if (schema != kEvaluationSchema || request.request_id.empty()) {
    return no_request(request.request_id.empty() ? "request_id is missing: it makes a second post harmless"
                                                 : "schema is not " + std::string(kEvaluationSchema));
  }
  for (const Member& member : kMembers) {
    const auto found = json.find(member.name);
    if (found != json.end() && !found->is_null()) {
      STITCH_TRY(member.read(*found, request));
    } else if (member.is_needed) {
      return no_request(fmt::format("{} is missing", member.name));
    }
  }
  STITCH_TRY(take_one_of(json, "the request", "cache", {"all", "correctness", "none"}, &request.cache));
  STITCH_TRY(check_profile(request));
  return request;
}

std::string canonical_text(const Json& json) {
  return sorted(json).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stitch::service
