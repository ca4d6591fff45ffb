// SPDX-License-Identifier: Apache-2.0
#include "runs/record/program_record.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

bool has(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && !found->is_null();
}

Result<std::string> string_or(const Json& object, const char* key, const std::string& fallback) {
  return has(object, key) ? json_string(object, key) : Result<std::string>(fallback);
}

Result<void> read_setting(const Json& json, StepRecord& step) {
  if (!has(json, "setting")) {
    return {};
  }
  STITCH_ASSIGN(const Json* setting, json_object(json, "setting"));
  STITCH_ASSIGN(step.variant, string_or(*setting, "variant", ""));
  if (has(*setting, "splits")) {
    STITCH_ASSIGN(step.splits, json_int(*setting, "splits"));
  }
  return {};
}

Result<void> read_time(const Json& json, StepRecord& step) {
  step.is_measured = has(json, "measured_us");
  const char* key = step.is_measured ? "measured_us" : "modelled_us";
  if (has(json, key)) {
    STITCH_ASSIGN(step.us, json_double(json, key));
  }
  return {};
}

Result<StepRecord> step_from_json(const Json& json) {
  if (!json.is_object()) {
    return failure(ErrorCode::kFileInvalid, "it is not an object");
  }
  StepRecord step;
  STITCH_ASSIGN(step.name, string_or(json, "name", step.name));
  STITCH_ASSIGN(step.skeleton, string_or(json, "skeleton", step.skeleton));
  STITCH_TRY(read_setting(json, step));
  STITCH_TRY(read_time(json, step));
  if (has(json, "nodes")) {
    STITCH_ASSIGN(const Json* nodes, json_array(json, "nodes"));
    for (const Json& node : *nodes) {
      if (!node.is_string()) {
        return failure(ErrorCode::kFileInvalid, "member \"nodes\" holds something other than names");
      }
      step.nodes.push_back(node.get<std::string>());
    }
  }
  return step;
}

Result<void> read_steps(const Json& json, ProgramRecord& record) {
  STITCH_ASSIGN(const Json* steps, json_array(json, "steps"));
  for (const Json& one : *steps) {
    Result<StepRecord> step = step_from_json(one);
    if (!step.has_value()) {
      return failure(ErrorCode::kFileInvalid,
                     fmt::format("step {}: {}", record.steps.size() + 1, step.error().message));
    }
    record.steps.push_back(std::move(*step));
  }
  return {};
}

}  // namespace

Result<ProgramRecord> program_record_from_json(const Json& json) {
  ProgramRecord record;
  if (json.is_null()) {
    return record;
  }
  if (!json.is_object()) {
    return failure(ErrorCode::kFileInvalid, "it is not an object");
  }
  if (has(json, "steps")) {
    STITCH_TRY(read_steps(json, record));
  }
  if (has(json, "sources")) {
    STITCH_ASSIGN(const Json* sources, json_object(json, "sources"));
    for (const auto& [path, digest] : sources->items()) {
      if (!digest.is_string()) {
        return failure(ErrorCode::kFileInvalid, fmt::format("the digest of source \"{}\" is not a string", path));
      }
      record.sources[path] = digest.get<std::string>();
    }
  }
  return record;
}

}  // namespace stitch::runs
