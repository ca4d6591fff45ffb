// SPDX-License-Identifier: Apache-2.0
#include "service/outcome/judged.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "artifact/report/verdict.h"
#include "base/text/printable.h"

namespace stitch::service {
namespace {

constexpr size_t kMaxSentence = 500;
constexpr const char* kInfra = "infra_error";

const char* outcome_of(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kOk:
      return "ok";
    case VerdictKind::kBuildFailed:
      return "compile_error";
    case VerdictKind::kWrong:
      return "mismatch";
    case VerdictKind::kCrashed:
      return "runtime_error";
    case VerdictKind::kTimedOut:
      return "timeout";
    case VerdictKind::kCheated:
    case VerdictKind::kInvalidTime:
      return "hack";
    case VerdictKind::kUnsupported:
      return "static_reject";
    case VerdictKind::kUndecided:
    case VerdictKind::kIllConditioned:
      return kInfra;
  }
  return kInfra;
}

// Of an object that a worker wrote: null where it is missing or of another kind.
Json member(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? *found : Json();
}

std::string text_in(const Json& json, const char* name) {
  const Json found = member(json, name);
  return found.is_string() ? found.get<std::string>() : std::string();
}

// Finite and above zero, or null.
Json number_in(const Json& json, const char* name) {
  const Json found = member(json, name);
  const double value = found.is_number() ? found.get<double>() : NAN;
  return std::isfinite(value) && value > 0 ? Json(value) : Json();
}

Json with_kind(Json judged, VerdictKind kind, const std::string& sentence, const std::string& feedback) {
  judged["outcome"] = outcome_of(kind);
  judged["sentence"] = printable_line(sentence, kMaxSentence);
  judged["facts"]["verdict"] = to_string(kind);
  judged["feedback"] = feedback;
  const bool was_built = kind != VerdictKind::kBuildFailed && kind != VerdictKind::kUnsupported;
  judged["metrics"]["compiled"] = was_built ? 1 : 0;
  judged["metrics"]["correct"] = kind == VerdictKind::kOk ? 1 : 0;
  return judged;
}

Json with_worker(Json judged, Phase phase, const farm::JobResult& result) {
  judged["seconds"][to_string(phase)] = result.seconds;
  judged["worker"]["id"] = printable_line(result.worker, 200);
  judged["worker"]["device"] = printable_line(result.device, 200);
  judged["worker"]["attempt"] = result.delivery;
  if (!result.answer.empty()) {
    judged["artefacts"].push_back({{"phase", to_string(phase)}, {"sha256", result.answer}});
  }
  return judged;
}

// The faster way of calling it: the middle, and the pessimistic end of its interval.
Json with_measured(Json judged, const Json& measured) {
  const Json way = member(measured, text_in(measured, "faster") == "graph" ? "graph" : "plain");
  const Json baseline = member(measured, "baseline");
  const Json us = number_in(way, "us");
  const Json eager = number_in(baseline, "us");
  if (us.is_null() || !text_in(measured, "refusal").empty()) {
    judged["sentence"] = "not timed: " + printable_line(text_in(measured, "refusal"), kMaxSentence);
    return judged;
  }
  Json& metrics = judged["metrics"];
  constexpr double kMicroseconds = 1000;
  metrics["kernel_ms"] = us.get<double>() / kMicroseconds;
  metrics["noise_rel"] = member(way, "spread").is_number() ? member(way, "spread") : Json();
  metrics["ref_ms"] = eager.is_null() ? Json() : Json(eager.get<double>() / kMicroseconds);
  metrics["speedup_eager"] = number_in(baseline, "speedup");
  judged["measured"] = {{"candidate", number_in(way, "high_us")},
                        {"eager", eager},
                        {"compiled", nullptr},
                        {"floor", number_in(measured, "floor_us")}};
  return judged;
}

Json with_verified(Json judged, const Json& answer) {
  const Json decided = member(answer, "verdict");
  const Result<VerdictKind> kind = verdict_kind_from_string(text_in(decided, "kind"));
  if (!kind.has_value()) {
    return judged_by_nobody(std::move(judged), "a worker's answer holds no verdict");
  }
  judged = with_kind(std::move(judged), *kind, text_in(decided, "reason"), text_in(answer, "feedback"));
  const Json candidate = member(answer, "candidate");
  const std::string hack_class = text_in(candidate, "class");
  judged["facts"]["class"] = hack_class.empty() ? "clean" : hack_class;
  if (*kind == VerdictKind::kOk && hack_class == "total_hack") {
    judged["outcome"] = "hack";
    judged["feedback"] = "It breaks a rule of the task.";
  }
  const Json share = member(member(candidate, "policy"), "share");
  judged["metrics"]["coverage"] = share.is_number() ? Json(1 - share.get<double>()) : Json(1.0);
  if (*kind == VerdictKind::kUndecided || *kind == VerdictKind::kIllConditioned) {
    return judged_by_nobody(std::move(judged), "no verdict on this task: " + text_in(decided, "reason"));
  }
  const Json measured = member(answer, "measured");
  return measured.is_object() ? with_measured(std::move(judged), measured) : judged;
}

Json with_baseline(Json judged, const Json& answer) {
  const Json baseline = member(member(answer, "measured"), "baseline");
  if (judged.contains("measured")) {
    judged["measured"]["compiled"] = number_in(baseline, "us");
  }
  judged["metrics"]["speedup_compile"] = number_in(baseline, "speedup");
  return judged;
}

Json with_score(Json judged, const Json& score) {
  const Json total = member(score, "total");
  if (!total.is_number_integer()) {
    return without_marks(std::move(judged), "the rubric gave no marks");
  }
  Json dimensions = Json::object();
  const Json list = member(score, "dimensions");
  for (const Json& each : list.is_array() ? list : Json::array()) {
    dimensions[text_in(each, "name")] = member(each, "points");
  }
  judged["rubric"] = {{"status", "ok"}, {"total", total}, {"dims", dimensions}, {"flag_major", false}, {"why", ""}};
  judged["facts"]["marks"] = total;
  return judged;
}

// What ended it, where the verb did not come to its own end: limits that the candidate ran into.
std::optional<Json> ended_by_limits(const Json& judged, const farm::JobResult& result) {
  if (result.timed_out) {
    return with_kind(judged, VerdictKind::kTimedOut, fmt::format("it had not ended after {:.0f} s", result.seconds),
                     "It took too long.");
  }
  if (result.is_out_of_memory) {
    return with_kind(judged, VerdictKind::kCrashed, "it took more memory than it may", "It took too much memory.");
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::kVerify:
      return "verify";
    case Phase::kBaseline:
      return "baseline";
    case Phase::kRubric:
      return "rubric";
  }
  return "verify";
}

Json nothing_judged(bool refines) {
  Json metrics = Json::object();
  for (const char* name :
       {"compiled", "correct", "speedup_eager", "speedup_compile", "kernel_ms", "ref_ms", "noise_rel", "coverage"}) {
    metrics[name] = nullptr;
  }
  return {{"outcome", kInfra},
          {"sentence", ""},
          {"stage", "extract"},
          {"facts",
           {{"verdict", nullptr},
            {"class", "clean"},
            {"times_us", nullptr},
            {"marks", nullptr},
            {"skill", refines ? "refinement" : "scratch"}}},
          {"metrics", metrics},
          {"rubric",
           {{"status", "skipped"}, {"total", nullptr}, {"dims", Json::object()}, {"flag_major", false}, {"why", ""}}},
          {"feedback", ""},
          {"seconds", Json::object()},
          {"worker",
           {{"id", nullptr},
            {"device", nullptr},
            {"gpu_uuid", nullptr},
            {"driver", nullptr},
            {"sm_clock_mhz", nullptr},
            {"mem_clock_mhz", nullptr},
            {"attempt", nullptr}}},
          {"artefacts", Json::array()}};
}

Json judged_without_candidate(bool refines, const std::string& why) {
  Json judged = with_kind(nothing_judged(refines), VerdictKind::kBuildFailed, why, why + ".");
  judged["outcome"] = "invalid_output";
  return judged;
}

Json judged_by_nobody(Json judged, const std::string& sentence) {
  judged["outcome"] = kInfra;
  judged["sentence"] = printable_line(sentence, kMaxSentence);
  judged["facts"]["verdict"] = nullptr;
  judged["feedback"] = "";
  for (auto& [name, value] : judged["metrics"].items()) {
    value = nullptr;
  }
  return judged;
}

Json with_job(Json judged, Phase phase, const farm::JobResult& result, const Json& answer) {
  judged = with_worker(std::move(judged), phase, result);
  const bool has_ended = result.refusal.empty() && result.signal == 0 && !result.timed_out &&
                         !result.is_out_of_memory && (result.exit_code == 0 || result.exit_code == 1);
  if (phase == Phase::kBaseline) {
    return has_ended ? with_baseline(std::move(judged), answer) : judged;
  }
  if (phase == Phase::kRubric) {
    return has_ended ? with_score(std::move(judged), answer)
                     : without_marks(std::move(judged), "the rubric's job ended without marks");
  }
  judged["stage"] = "verify";
  if (const std::optional<Json> ended = ended_by_limits(judged, result)) {
    return *ended;
  }
  if (!has_ended) {
    const std::string said = text_in(member(answer, "error"), "message");
    const std::string why = !result.refusal.empty() ? result.refusal : !said.empty() ? said : result.last_words;
    return judged_by_nobody(std::move(judged), fmt::format("the worker's verb ended with {}{}: {}", result.exit_code,
                                                           result.signal == 0 ? "" : " by a signal", why));
  }
  judged = with_verified(std::move(judged), answer);
  // Marked in the same job, where that was asked for.
  const bool was_to_be_marked = answer.is_object() && answer.contains("score");
  return was_to_be_marked && is_right_so_far(judged) ? with_score(std::move(judged), answer["score"]) : judged;
}

Json without_marks(Json judged, const std::string& why) {
  judged["rubric"]["status"] = "fallback";
  judged["rubric"]["why"] = printable_line(why, kMaxSentence);
  judged["facts"]["marks"] = nullptr;
  return judged;
}

Json with_judge(Json judged, const Json& score) {
  judged = with_score(std::move(judged), score);
  const bool is_flagged = member(member(score, "judge"), "major_hack") == true;
  judged["rubric"]["flag_major"] = is_flagged;
  if (is_flagged) {
    judged["facts"]["class"] = "total_hack";
    judged["outcome"] = "hack";
  }
  return judged;
}

bool is_right_so_far(const Json& judged) { return judged["outcome"] == "ok"; }

Json with_times_or_nothing(Json judged) {
  if (!is_right_so_far(judged)) {
    return judged;
  }
  const Json measured = member(judged, "measured");
  const bool is_whole = measured.is_object() && measured["candidate"].is_number() && measured["eager"].is_number() &&
                        measured["compiled"].is_number() && measured["floor"].is_number();
  if (!is_whole) {
    const std::string why = judged["sentence"].get<std::string>();
    return judged_by_nobody(std::move(judged), "right, but it or its baselines could not be timed: " + why);
  }
  judged["facts"]["times_us"] = measured;
  return judged;
}

}  // namespace stitch::service
