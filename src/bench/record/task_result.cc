// SPDX-License-Identifier: Apache-2.0
#include "bench/record/task_result.h"

#include <fmt/format.h>

#include "base/json/members.h"

namespace stitch::bench {
namespace {

constexpr const char* kSchema = "stitchcuda.bench/1";

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json();
}

std::optional<double> number_or_nothing(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number() ? std::optional(json[key].get<double>()) : std::nullopt;
}

std::optional<int64_t> count_or_nothing(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number_integer() ? std::optional(json[key].get<int64_t>()) : std::nullopt;
}

Json ratio_json(const RatioResult& ratio) {
  const bool has = ratio.ratio.has_value();
  const auto told = [&](double value) { return has ? Json(value) : Json(); };
  return {{"ratio", or_null(ratio.ratio)}, {"low", told(ratio.low)},         {"high", told(ratio.high)},
          {"us", told(ratio.baseline_us)}, {"ours_us", told(ratio.ours_us)}, {"refusal", ratio.refusal}};
}

Result<RatioResult> ratio_of(const Json& json) {
  RatioResult ratio;
  STITCH_ASSIGN(ratio.refusal, json_string(json, "refusal"));
  ratio.ratio = number_or_nothing(json, "ratio");
  if (ratio.ratio.has_value()) {
    STITCH_ASSIGN(ratio.low, json_double(json, "low"));
    STITCH_ASSIGN(ratio.high, json_double(json, "high"));
    STITCH_ASSIGN(ratio.baseline_us, json_double(json, "us"));
    STITCH_ASSIGN(ratio.ours_us, json_double(json, "ours_us"));
  }
  return ratio;
}

Json spent_json(const Spent& spent) {
  return {{"seconds", spent.seconds},
          {"gpu_seconds", spent.gpu_seconds},
          {"requests", spent.requests},
          {"prompt_tokens", spent.prompt_tokens},
          {"answer_tokens", spent.answer_tokens},
          {"dollars", spent.dollars}};
}

Result<Spent> spent_of(const Json& json) {
  Spent spent;
  STITCH_ASSIGN(spent.seconds, json_double(json, "seconds"));
  STITCH_ASSIGN(spent.gpu_seconds, json_double(json, "gpu_seconds"));
  STITCH_ASSIGN(spent.requests, json_int(json, "requests"));
  STITCH_ASSIGN(spent.prompt_tokens, json_int(json, "prompt_tokens"));
  STITCH_ASSIGN(spent.answer_tokens, json_int(json, "answer_tokens"));
  STITCH_ASSIGN(spent.dollars, json_double(json, "dollars"));
  return spent;
}

Result<void> read_task(const Json& json, TaskResult& result) {
  STITCH_ASSIGN(result.task, json_string(json, "task"));
  STITCH_ASSIGN(result.name, json_string(json, "name"));
  STITCH_ASSIGN(result.digest, json_string(json, "digest"));
  STITCH_ASSIGN(result.level, json_small_int(json, "level"));
  STITCH_ASSIGN(result.number, json_small_int(json, "number"));
  STITCH_ASSIGN(result.sample, json_small_int(json, "sample"));
  STITCH_ASSIGN(result.family, json_string(json, "family"));
  STITCH_ASSIGN(const Json* subsets, json_array(json, "subsets"));
  for (const Json& subset : *subsets) {
    if (subset.is_string()) {
      result.subsets.push_back(subset.get<std::string>());
    }
  }
  STITCH_ASSIGN(const std::string standing, json_string(json, "standing"));
  STITCH_ASSIGN(result.standing, standing_from_string(standing));
  STITCH_ASSIGN(result.standing_reason, json_string(json, "standing_reason"));
  STITCH_ASSIGN(result.is_standing_known, json_bool(json, "is_standing_known"));
  return {};
}

Result<void> read_outcome(const Json& json, TaskResult& result) {
  STITCH_ASSIGN(const std::string outcome, json_string(json, "outcome"));
  STITCH_ASSIGN(result.outcome, outcome_from_string(outcome));
  STITCH_ASSIGN(result.kind, json_string(json, "kind"));
  STITCH_ASSIGN(result.sentence, json_string(json, "sentence"));
  STITCH_ASSIGN(result.where, json_string(json, "where"));
  STITCH_ASSIGN(const std::string hack, json_string(json, "class"));
  STITCH_ASSIGN(result.hack_class, hack_class_from_string(hack));
  STITCH_ASSIGN(result.hack_evidence, json_string(json, "class_evidence"));
  STITCH_ASSIGN(result.device, json_string(json, "device"));
  STITCH_ASSIGN(result.scale, json_string(json, "scale"));
  STITCH_ASSIGN(result.out, json_string(json, "out"));
  STITCH_ASSIGN(result.ended, json_string(json, "ended"));
  return {};
}

}  // namespace

const char* to_string(Outcome outcome) {
  constexpr const char* kNames[] = {"ok",      "verdict", "broken",  "unsupported",  "timed_out", "out_of_memory",
                                    "crashed", "world",   "missing", "needs_package"};
  return kNames[static_cast<size_t>(outcome)];
}

Result<Outcome> outcome_from_string(const std::string& name) {
  for (const Outcome outcome : kOutcomes) {
    if (name == to_string(outcome)) {
      return outcome;
    }
  }
  return failure(ErrorCode::kFileInvalid, "'" + name + "' is no outcome of a task");
}

std::optional<double> TaskResult::floor_share() const {
  const std::optional<double>& us = measured_us.has_value() ? measured_us : modelled_us;
  return floor_us.has_value() && us.has_value() && *us > 0 ? std::optional(*floor_us / *us) : std::nullopt;
}

std::optional<bool> TaskResult::is_whole_answer() const {
  const bool is_asked = sub_tasks.has_value() && sub_tasks_right.has_value() && *sub_tasks > 0;
  return is_asked ? std::optional(*sub_tasks_right == *sub_tasks) : std::nullopt;
}

Json to_json(const TaskResult& result) {
  Json json = {{"schema", kSchema},
               {"task", result.task},
               {"name", result.name},
               {"sample", result.sample},
               {"level", result.level},
               {"number", result.number},
               {"family", result.family},
               {"subsets", result.subsets},
               {"digest", result.digest},
               {"standing", to_string(result.standing)},
               {"standing_reason", result.standing_reason},
               {"is_standing_known", result.is_standing_known},
               {"outcome", to_string(result.outcome)},
               {"kind", result.kind},
               {"sentence", result.sentence},
               {"where", result.where},
               {"class", to_string(result.hack_class)},
               {"class_evidence", result.hack_evidence},
               {"device", result.device},
               {"scale", result.scale},
               {"others", result.others},
               {"modelled_us", or_null(result.modelled_us)},
               {"executed_us", or_null(result.executed_us)},
               {"first_executed_us", or_null(result.first_executed_us)},
               {"sub_tasks", or_null(result.sub_tasks)},
               {"sub_tasks_right", or_null(result.sub_tasks_right)},
               {"measured_us", or_null(result.measured_us)},
               {"floor_us", or_null(result.floor_us)}};
  json["over"] = Json::object();
  for (const auto& [baseline, ratio] : result.over) {
    json["over"][baseline] = ratio_json(ratio);
  }
  json["spent"] = spent_json(result.spent);
  json["out"] = result.out;
  json["ended"] = result.ended;
  return json;
}

Result<TaskResult> task_result_from_json(const Json& json) {
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  if (schema != kSchema) {
    return failure(ErrorCode::kFileInvalid, fmt::format("this is '{}', not '{}'", schema, kSchema));
  }
  TaskResult result;
  STITCH_TRY(read_task(json, result));
  STITCH_TRY(read_outcome(json, result));
  STITCH_ASSIGN(const Json* others, json_object(json, "others"));
  for (const auto& [rule, takes] : others->items()) {
    if (takes.is_boolean()) {
      result.others[rule] = takes.get<bool>();
    }
  }
  result.modelled_us = number_or_nothing(json, "modelled_us");
  result.executed_us = number_or_nothing(json, "executed_us");
  result.first_executed_us = number_or_nothing(json, "first_executed_us");
  result.sub_tasks = count_or_nothing(json, "sub_tasks");  // runs of before have none
  result.sub_tasks_right = count_or_nothing(json, "sub_tasks_right");
  result.measured_us = number_or_nothing(json, "measured_us");
  result.floor_us = number_or_nothing(json, "floor_us");  // runs of before have none
  STITCH_ASSIGN(const Json* over, json_object(json, "over"));
  for (const auto& [baseline, ratio] : over->items()) {
    STITCH_ASSIGN(result.over[baseline], ratio_of(ratio));
  }
  STITCH_ASSIGN(const Json* spent, json_object(json, "spent"));
  STITCH_ASSIGN(result.spent, spent_of(*spent));
  return result;
}

}  // namespace stitch::bench
