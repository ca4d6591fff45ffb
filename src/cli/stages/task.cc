// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/task.h"

#include <cctype>
#include <filesystem>

#include "base/json/json.h"

namespace stitch::cli {
namespace {

Json parsed_or_null(const std::string& text) { return text.empty() ? Json() : Json::parse(text, nullptr, false); }

std::string dumped(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() || found->empty() ? "" : found->dump();
}

}  // namespace

Result<Sizes> sizes_from_json(const Json& json) {
  if (!json.is_object()) {
    return failure(ErrorCode::kInternal, "sizes are not a JSON object");
  }
  return Sizes{dumped(json, "overrides"), dumped(json, "input_shapes")};
}

Json Task::arguments() const {
  Json overrides = parsed_or_null(sizes.overrides);
  return Json{{"file", file},
              {"target", target.empty() ? Json() : Json(target)},
              {"mode", mode},
              {"overrides", overrides.is_null() ? Json::object() : overrides},
              {"input_shapes", parsed_or_null(sizes.input_shapes)}};
}

Json to_json(const Task& task) {
  Json json = task.arguments();
  json["schema"] = "stitchcuda.task/1";
  json["math"] = to_string(task.math);
  return json;
}

Result<Task> task_from_json(const Json& json) {
  Task task;
  STITCH_ASSIGN(task.file, json_string(json, "file"));
  STITCH_ASSIGN(task.mode, json_string(json, "mode"));
  STITCH_ASSIGN(const std::string math, json_string(json, "math"));
  STITCH_ASSIGN(task.math, math_mode_from_string(math));
  if (json.contains("target") && json["target"].is_string()) {
    task.target = json["target"].get<std::string>();
  }
  STITCH_ASSIGN(task.sizes, sizes_from_json(json));
  return task;
}

std::string task_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      c = '_';
    }
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
    name.insert(0, "program_");
  }
  return name;
}

}  // namespace stitch::cli
