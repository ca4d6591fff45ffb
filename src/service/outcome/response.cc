// SPDX-License-Identifier: Apache-2.0
#include "service/outcome/response.h"

#include <algorithm>
#include <string_view>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "rubric/rewards/reward.h"
#include "service/request/evaluation_request.h"

namespace stitch::service {
namespace {

const rubric::RewardProfile* find_profile(const std::string& name) {
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    if (name == profile.name) {
      return &profile;
    }
  }
  return nullptr;
}

// What the marks were multiplied with stands apart; so do what was earned step by step, and all before the marks.
Json reward_json(const rubric::Reward& reward, const std::string& profile) {
  constexpr std::string_view kMilestones[] = {"built", "ran", "right", "faster than the best baseline"};
  Json milestone;
  Json rule;
  Json multiplier;
  for (const rubric::RewardPart& part : reward.parts) {
    if (part.name == "multiplier") {
      multiplier = part.value;
      continue;
    }
    rule = (rule.is_null() ? 0.0 : rule.get<double>()) + part.value;
    if (std::find(std::begin(kMilestones), std::end(kMilestones), part.name) != std::end(kMilestones)) {
      milestone = (milestone.is_null() ? 0.0 : milestone.get<double>()) + part.value;
    }
  }
  return {{"value", reward.value.has_value() ? Json(*reward.value) : Json()},
          {"milestone", milestone},
          {"rule", rule},
          {"rubric_multiplier", multiplier},
          {"profile", profile},
          {"reason", reward.reason}};
}

Json reward_of(const std::string& status, const AnswerFrame& frame, const Json& judged) {
  const rubric::RewardProfile* profile = find_profile(frame.profile);
  const bool is_known = status == "done" && frame.has_verdict && profile != nullptr;
  if (!is_known) {
    return reward_json({.value = std::nullopt, .reason = frame.has_verdict ? "" : "no verdict was asked for"},
                       frame.profile);
  }
  const Result<rubric::RewardFacts> facts = rubric::reward_facts_from_json(judged["facts"]);
  return facts.has_value() ? reward_json(profile->compute(*facts), frame.profile)
                           : reward_json({.value = std::nullopt, .reason = facts.error().message}, frame.profile);
}

// Cut between characters, never within one.
Json feedback_json(const Json& judged, int64_t output_kb) {
  std::string text = judged["feedback"].get<std::string>();
  const size_t most = static_cast<size_t>(output_kb) << 10;
  const bool is_cut = text.size() > most;
  if (is_cut) {
    size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) {
      --end;
    }
    text.resize(end);
  }
  return {{"text", text}, {"truncated", is_cut}, {"stage", judged["stage"]}, {"sha256", sha256_hex(text)}};
}

Json timing_of(const AnswerState& state, const Json& judged) {
  const Json& seconds = judged["seconds"];
  double worked = 0;
  for (const auto& [phase, taken] : seconds.items()) {
    worked += taken.get<double>();
  }
  const auto of = [&](const char* phase) { return seconds.contains(phase) ? seconds[phase] : Json(); };
  return {{"queue_s", state.is_from_cache ? 0.0 : std::max(0.0, state.total_s - worked)},
          {"compile_s", nullptr},
          {"verify_s", of("verify")},
          {"profile_s", of("baseline")},
          {"rubric_s", of("rubric")},
          {"total_s", state.total_s}};
}

}  // namespace

Json to_json(const AnswerFrame& frame) {
  return {{"request_id", frame.request_id},
          {"task", frame.task},
          {"profile", frame.profile},
          {"task_version", frame.task_version},
          {"candidate_sha256", frame.candidate_sha256},
          {"has_verdict", frame.has_verdict},
          {"output_kb", frame.output_kb}};
}

Result<AnswerFrame> answer_frame_from_json(const Json& json) {
  AnswerFrame frame;
  STITCH_ASSIGN(frame.request_id, json_string(json, "request_id"));
  STITCH_ASSIGN(frame.task, json_string(json, "task"));
  STITCH_ASSIGN(frame.profile, json_string(json, "profile"));
  STITCH_ASSIGN(frame.task_version, json_string(json, "task_version"));
  STITCH_ASSIGN(frame.candidate_sha256, json_string(json, "candidate_sha256"));
  STITCH_ASSIGN(frame.has_verdict, json_bool(json, "has_verdict"));
  STITCH_ASSIGN(frame.output_kb, json_int(json, "output_kb"));
  return frame;
}

Json response_of(const AnswerState& state, const AnswerFrame& frame, const Json& judged) {
  const bool is_done = state.status == "done";
  const Json reward = reward_of(state.status, frame, judged);
  const auto digest_or_null = [](const std::string& digest) { return digest.empty() ? Json() : Json(digest); };
  const Json cached = {{"compile", state.is_from_cache},
                       {"correctness", state.is_from_cache},
                       {"timing", state.is_from_cache && judged["facts"]["times_us"].is_object()}};
  return {{"schema", kEvaluationSchema},
          {"id", state.id},
          {"request_id", frame.request_id},
          {"status", state.status},
          {"outcome", is_done ? judged["outcome"] : Json()},
          {"sentence", judged["sentence"]},
          {"reward", reward},
          {"trainable", !reward["value"].is_null()},
          {"metrics", judged["metrics"]},
          {"rubric", judged["rubric"]},
          {"feedback", feedback_json(judged, frame.output_kb)},
          {"evidence",
           {{"candidate_sha256", digest_or_null(frame.candidate_sha256)},
            {"build_sha256", nullptr},
            {"task_version", frame.task_version},
            {"profile_version", frame.profile},
            {"artefacts", judged["artefacts"]}}},
          {"timing", timing_of(state, judged)},
          {"worker", judged["worker"]},
          {"cache", cached}};
}

bool needs_times(const std::string& profile) {
  const rubric::RewardProfile* found = find_profile(profile);
  const Result<rubric::RewardFacts> right = rubric::reward_facts_from_json(
      {{"verdict", "ok"}, {"class", "clean"}, {"times_us", nullptr}, {"marks", nullptr}, {"skill", "scratch"}});
  return found != nullptr && right.has_value() && !found->compute(*right).value.has_value();
}

}  // namespace stitch::service
