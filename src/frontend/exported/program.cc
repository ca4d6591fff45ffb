// SPDX-License-Identifier: Apache-2.0
#include "frontend/exported/program.h"

#include <fmt/format.h>

#include <limits>

#include "artifact/tensor/tensor_json.h"
#include "base/json/json.h"
#include "base/text/identifier.h"

namespace stitch::frontend {
namespace {

constexpr const char* kSchema = "stitchcuda.exported/1";

Result<Argument> read_argument(const Json& json);

Result<Argument> read_float(const Json& json) {
  if (json.is_number()) {
    return Argument{json.get<double>()};
  }
  const std::string text = json.is_string() ? json.get<std::string>() : "";
  if (text == "inf" || text == "-inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return Argument{text == "inf" ? infinity : -infinity};
  }
  if (text == "nan") {
    return Argument{std::numeric_limits<double>::quiet_NaN()};
  }
  return failure(ErrorCode::kFileInvalid, "an argument \"float\" is not a number");
}

Result<Argument> read_list(const Json& json) {
  ArgumentList items;
  if (!json.is_array()) {
    return failure(ErrorCode::kFileInvalid, "an argument \"list\" is not an array");
  }
  for (const Json& item : json) {
    STITCH_ASSIGN(Argument argument, read_argument(item));
    items.push_back(std::move(argument));
  }
  return Argument{std::move(items)};
}

// {"KIND": CONTENT}
Result<Argument> read_argument(const Json& json) {
  if (!json.is_object() || json.size() != 1) {
    return failure(ErrorCode::kFileInvalid, "an argument is not an object of one member");
  }
  const std::string kind = json.begin().key();
  const Json& content = json.begin().value();
  if (kind == "none") {
    return Argument{};
  }
  if (kind == "int" && content.is_number_integer()) {
    return Argument{content.get<int64_t>()};
  }
  if (kind == "bool" && content.is_boolean()) {
    return Argument{content.get<bool>()};
  }
  if (kind == "float") {
    return read_float(content);
  }
  if (kind == "list") {
    return read_list(content);
  }
  if (!content.is_string()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("an argument \"{}\" has content of another kind", kind));
  }
  const std::string text = content.get<std::string>();
  if (kind == "value") {
    return Argument{ValueName{text}};
  }
  if (kind == "str") {
    return Argument{text};
  }
  const auto dtype = data_type_from_string(text);
  if (kind == "dtype" && dtype.has_value()) {
    return Argument{*dtype};
  }
  return Argument{OtherArgument{text}};
}

Result<ExportedOutput> read_output(const Json& json) {
  ExportedOutput output;
  if (!json.is_object() || !json.contains("name") || json.at("name").is_null()) {
    return output;
  }
  STITCH_ASSIGN(output.name, json_string(json, "name"));
  if (!json.contains("dtype") || json.at("dtype").is_null()) {
    output.dtype_text = "nothing like a tensor";
    return output;
  }
  STITCH_ASSIGN(output.dtype_text, json_string(json, "dtype"));
  if (data_type_from_string(output.dtype_text).has_value()) {
    STITCH_ASSIGN(output.type, tensor_type_from_json(json));
  }
  return output;
}

void split_target(ExportedNode& node) {
  constexpr std::string_view kNamespace = "aten.";
  node.base = node.target;
  if (node.target.rfind(kNamespace, 0) == 0) {
    node.base = node.target.substr(kNamespace.size());
    const size_t dot = node.base.rfind('.');
    if (dot != std::string::npos) {
      node.overload = node.base.substr(dot + 1);
      node.base.resize(dot);
    }
  }
}

Result<ExportedNode> read_node(const Json& json) {
  ExportedNode node;
  STITCH_ASSIGN(node.target, json_string(json, "target"));
  STITCH_ASSIGN(node.location, json_string(json, "place"));
  split_target(node);
  STITCH_ASSIGN(const Json* arguments, json_array(json, "args"));
  for (const Json& item : *arguments) {
    STITCH_ASSIGN(Argument argument, read_argument(item));
    node.arguments.push_back(std::move(argument));
  }
  STITCH_ASSIGN(const Json* keywords, json_object(json, "kwargs"));
  for (const auto& [name, item] : keywords->items()) {
    STITCH_ASSIGN(node.keywords[name], read_argument(item));
  }
  STITCH_ASSIGN(const Json* outputs, json_array(json, "outputs"));
  for (const Json& item : *outputs) {
    STITCH_ASSIGN(ExportedOutput output, read_output(item));
    node.outputs.push_back(std::move(output));
  }
  return node;
}

Result<void> read_values(const Json& json, ExportedProgram& program) {
  STITCH_ASSIGN(const Json* values, json_array(json, "values"));
  for (const Json& item : *values) {
    ExportedValue value;
    STITCH_ASSIGN(TensorSpec spec, tensor_spec_from_json(item));
    value.name = std::move(spec.name);
    value.role = spec.role;
    value.type = std::move(spec.type);
    STITCH_ASSIGN(value.binding, json_string(item, "binding"));
    program.values.push_back(std::move(value));
  }
  STITCH_ASSIGN(const Json* outputs, json_array(json, "outputs"));
  for (const Json& item : *outputs) {
    ExportedResult result;
    STITCH_ASSIGN(result.value, json_string(item, "value"));
    STITCH_ASSIGN(const std::string role, json_string(item, "role"));
    STITCH_ASSIGN(result.role, tensor_role_from_string(role));
    STITCH_ASSIGN(result.binding, json_string(item, "binding"));
    program.outputs.push_back(std::move(result));
  }
  return {};
}

}  // namespace

Result<ExportedProgram> read_exported(const Json& json) {
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  if (schema != kSchema) {
    return failure(ErrorCode::kFileInvalid, fmt::format("schema {} is not {}", schema, kSchema), "",
                   "import the program again");
  }
  ExportedProgram program;
  STITCH_ASSIGN(const std::string name, json_string(json, "name"));
  program.name = as_identifier(name);  // a file may be called anything: 10_ResNet.py, my model.py
  STITCH_ASSIGN(program.mode, json_string(json, "mode"));
  if (program.mode != "train" && program.mode != "eval") {
    return failure(ErrorCode::kFileInvalid, fmt::format("mode \"{}\" is neither train nor eval", program.mode));
  }
  STITCH_TRY(read_values(json, program));
  STITCH_ASSIGN(const Json* nodes, json_array(json, "nodes"));
  for (size_t i = 0; i < nodes->size(); ++i) {
    auto node = read_node(nodes->at(i));
    if (!node.has_value()) {
      return failure(with_context(node.error(), fmt::format("node {}", i)));
    }
    program.nodes.push_back(std::move(node).value());
  }
  return program;
}

}  // namespace stitch::frontend
