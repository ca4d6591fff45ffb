// SPDX-License-Identifier: Apache-2.0
#include "bench/run/read_answer.h"

#include <algorithm>

#include "artifact/report/verdict.h"
#include "base/error/error.h"
#include "base/json/json.h"

namespace stitch::bench {
namespace {

// How others accept: KernelBench's 1e-4, CudaForge's 1e-3, CUDA Agent's 1e-2, absolute and relative.
struct OthersRule {
  const char* name;
  const char* member;  // of an output in evidence/verify.json
};
constexpr OthersRule kOthersRules[] = {
    {"kernelbench 1e-4", "kernelbench_rule_ok"}, {"cudaforge 1e-3", "within_1e_3"}, {"cuda agent 1e-2", "within_1e_2"}};
constexpr const char* kAsGiven = "as_given";

const Json& member_of(const Json& json, const char* key) {
  static const Json kNone;
  return json.is_object() && json.contains(key) ? json[key] : kNone;
}

std::string text_in(const Json& json, const char* key) {
  const Json& value = member_of(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<double> number_in(const Json& json, const char* key) {
  const Json& value = member_of(json, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

int64_t count_in(const Json& json, const char* key) {
  const Json& value = member_of(json, key);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

Outcome outcome_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kProgramInvalid:
    case ErrorCode::kFileInvalid:
      return Outcome::kBroken;
    case ErrorCode::kUnsupportedOperator:
      return Outcome::kUnsupported;
    case ErrorCode::kTimeout:
      return Outcome::kTimedOut;
    default:
      return Outcome::kWorld;
  }
}

// The words are those of python/stitchcuda_python/failures.py; the code alone does not tell them from a full disk.
bool is_lack_of_package(ErrorCode code, const std::string& sentence) {
  return code == ErrorCode::kEnvironment && sentence.find(" needs the Python package ") != std::string::npos;
}

// True where there is an error, and then no more to read.
bool read_error(const Json& answer, TaskResult& result) {
  const Json& error = member_of(answer, "error");
  if (!error.is_object()) {
    return false;
  }
  result.outcome = outcome_of(error_code_from_string(text_in(error, "code")));
  result.sentence = text_in(error, "sentence");
  result.where = text_in(error, "place");
  if (is_lack_of_package(error_code_from_string(text_in(error, "code")), result.sentence)) {
    result.outcome = Outcome::kNeedsPackage;
    result.sentence += " " + text_in(error, "remedy");
  }
  if (result.outcome == Outcome::kBroken) {
    result.standing = Standing::kBroken;
    result.standing_reason = result.sentence;
    result.is_standing_known = true;
  }
  return true;
}

void read_verdict(const Json& verdict, TaskResult& result) {
  result.kind = text_in(verdict, "kind");
  result.sentence = text_in(verdict, "reason");
  result.outcome = result.kind == to_string(VerdictKind::kOk) ? Outcome::kOk : Outcome::kVerdict;
  if (result.kind.empty()) {
    result.outcome = Outcome::kWorld;
    result.sentence = "the answer has no verdict";
  }
  if (result.kind == to_string(VerdictKind::kIllConditioned)) {
    result.standing = Standing::kIllConditioned;
    result.standing_reason = result.sentence;
    result.is_standing_known = true;
  }
  if (result.kind == to_string(VerdictKind::kCheated) || result.kind == to_string(VerdictKind::kInvalidTime)) {
    result.hack_class = HackClass::kTotal;
    result.hack_evidence = result.sentence;
  }
}

void read_agents(const Json& agents, TaskResult& result) {
  if (!agents.is_object()) {
    return;
  }
  result.spent.requests = count_in(agents, "requests");
  result.spent.prompt_tokens = count_in(agents, "prompt_tokens");
  result.spent.answer_tokens = count_in(agents, "answer_tokens");
  result.spent.dollars = number_in(agents, "dollars").value_or(0);
  result.spent.gpu_seconds = number_in(agents, "gpu_seconds").value_or(0);
  if (member_of(agents, "sub_tasks").is_number_integer()) {
    result.sub_tasks = count_in(agents, "sub_tasks");
    result.sub_tasks_right = count_in(agents, "sub_tasks_right");
  }
  const Json& time = member_of(agents, "time");
  const std::optional<double> us = number_in(time, "us");
  if (us.has_value() && text_in(time, "kind") == "executed") {
    result.executed_us = us;
    result.first_executed_us = *us + number_in(time, "gained_us").value_or(0);
  }
}

void read_common(const Json& answer, TaskResult& result) {
  read_verdict(member_of(answer, "verdict"), result);
  result.device = text_in(answer, "device");
  read_measured(member_of(answer, "measured"), result);
}

}  // namespace

void read_optimized(const Json& answer, TaskResult& result) {
  if (read_error(answer, result)) {
    return;
  }
  read_common(answer, result);
  result.scale = text_in(answer, "scale");
  result.modelled_us = number_in(answer, "modelled_us");
  if (!result.measured_us.has_value()) {
    result.floor_us = number_in(answer, "floor_us");
  }
  read_agents(member_of(answer, "agents"), result);
  read_admission(member_of(answer, "admission"), result);
}

void read_judged(const Json& answer, TaskResult& result) {
  if (read_error(answer, result)) {
    return;
  }
  read_common(answer, result);
  const Json& candidate = member_of(answer, "candidate");
  const Result<HackClass> hack_class = hack_class_from_string(text_in(candidate, "class"));
  if (hack_class.has_value()) {
    result.hack_class = *hack_class;
    result.hack_evidence = text_in(candidate, "class_evidence");
  }
  read_admission(member_of(candidate, "admission"), result);
  read_others(member_of(answer, "report"), result);
}

void read_admission(const Json& admission, TaskResult& result) {
  const std::string status = text_in(admission, "status");
  if (status.empty()) {
    return;
  }
  const Result<Standing> standing = standing_from_string(status);
  result.standing = standing.has_value() ? *standing : Standing::kSound;  // "admitted"
  result.standing_reason = result.standing == Standing::kSound ? "" : text_in(admission, "sentence");
  result.is_standing_known = true;
  const bool is_lighter = result.standing == Standing::kSound || result.standing == Standing::kWeak;
  for (const Json& null : member_of(admission, "nulls")) {
    if (is_lighter && text_in(null, "number") == "N22") {  // an operator that draws: only programs that draw have one
      result.standing = Standing::kStochastic;
      result.standing_reason = "the program draws random numbers";
    }
  }
}

void read_others(const Json& report, TaskResult& result) {
  for (const OthersRule& rule : kOthersRules) {
    for (const Json& line : member_of(report, "regimes")) {
      const Json& takes = member_of(line, rule.member);
      if (text_in(line, "regime") != kAsGiven) {
        continue;
      }
      if (!takes.is_boolean()) {  // not asked of one output: nothing can be said of the answer
        result.others.erase(rule.name);
        break;
      }
      const auto [known, is_first] = result.others.emplace(rule.name, true);
      known->second = known->second && takes.get<bool>();
    }
  }
}

void read_measured(const Json& measured, TaskResult& result) {
  for (const char* way : {"plain_us", "graph_us"}) {
    const std::optional<double> us = number_in(measured, way);
    if (us.has_value()) {
      result.measured_us = std::min(*us, result.measured_us.value_or(*us));
    }
  }
  result.floor_us = number_in(measured, "floor_us");
  const Json& baseline = member_of(measured, "baseline");
  const std::string name = text_in(baseline, "name");
  if (name.empty()) {
    return;
  }
  RatioResult ratio;
  ratio.refusal = text_in(baseline, "refusal");
  ratio.ratio = number_in(baseline, "speedup");
  ratio.low = number_in(baseline, "low").value_or(0);
  ratio.high = number_in(baseline, "high").value_or(0);
  ratio.baseline_us = number_in(baseline, "us").value_or(0);
  ratio.ours_us = number_in(baseline, "ours_us").value_or(0);
  result.over[name] = std::move(ratio);
}

}  // namespace stitch::bench
