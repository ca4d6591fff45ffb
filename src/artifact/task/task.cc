// SPDX-License-Identifier: Apache-2.0
#include "artifact/task/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/json/json.h"
#include "base/text/identifier.h"

namespace stitch {
namespace {

constexpr const char* kSchema = "stitchcuda.task/1";

Result<std::vector<std::vector<int64_t>>> shapes_from_json(const Json& json) {
  std::vector<std::vector<int64_t>> shapes;
  for (const Json& item : json) {
    STITCH_ASSIGN(std::vector<int64_t> shape, json_int_list(Json{{"shape", item}}, "shape"));
    if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 1; })) {
      return failure(ErrorCode::kFileInvalid, fmt::format("[{}] is no shape of an input", fmt::join(shape, ",")));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace

Result<Sizes> sizes_from_json(const Json& json) {
  Sizes sizes;
  if (!json.is_object()) {
    return failure(ErrorCode::kFileInvalid, "sizes are not a JSON object");
  }
  if (json.contains("overrides") && json["overrides"].is_object()) {
    for (const auto& [name, value] : json["overrides"].items()) {
      STITCH_ASSIGN(const int64_t number, json_int(json["overrides"], name.c_str()));
      sizes.overrides.emplace_back(name, number);
    }
  }
  if (json.contains("input_shapes") && json["input_shapes"].is_array()) {
    STITCH_ASSIGN(sizes.input_shapes, shapes_from_json(json["input_shapes"]));
  }
  return sizes;
}

std::string describe(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes.overrides) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  if (sizes.input_shapes.has_value()) {
    text += text.empty() ? "inputs" : ", inputs";
    for (const std::vector<int64_t>& shape : *sizes.input_shapes) {
      text += fmt::format(" [{}]", fmt::join(shape, ","));
    }
  }
  return text.empty() ? "the file's own sizes" : text;
}

Json Task::arguments() const {
  Json overrides = Json::object();
  for (const auto& [name, value] : sizes.overrides) {
    overrides[name] = value;
  }
  return Json{{"file", file},
              {"target", target.empty() ? Json() : Json(target)},
              {"mode", mode},
              {"overrides", overrides},
              {"input_shapes", sizes.input_shapes.has_value() ? Json(*sizes.input_shapes) : Json()},
              {"weights", weights.empty() || !sizes.overrides.empty() ? Json() : Json(weights)}};
}

Json to_json(const Task& task) {
  Json json = task.arguments();
  json["schema"] = kSchema;
  json["math"] = to_string(task.math);
  return json;
}

Result<Task> task_from_json(const Json& json) {
  Task task;
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  if (schema != kSchema) {
    return failure(ErrorCode::kFileInvalid, fmt::format("the task has schema {}, not {}", schema, kSchema));
  }
  STITCH_ASSIGN(task.file, json_string(json, "file"));
  STITCH_ASSIGN(task.mode, json_string(json, "mode"));
  STITCH_ASSIGN(const std::string math, json_string(json, "math"));
  const Result<MathMode> known = math_mode_from_string(math);
  if (!known.has_value()) {
    return failure(ErrorCode::kFileInvalid, known.error().message);  // its own place is the command line
  }
  task.math = *known;
  if (json.contains("target") && json["target"].is_string()) {
    task.target = json["target"].get<std::string>();
  }
  if (json.contains("weights") && json["weights"].is_string()) {
    task.weights = json["weights"].get<std::string>();
  }
  STITCH_ASSIGN(task.sizes, sizes_from_json(json));
  return task;
}

std::string task_name(const std::string& file) { return as_identifier(std::filesystem::path(file).stem().string()); }

}  // namespace stitch
