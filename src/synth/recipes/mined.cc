// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json.h"
#include "synth/recipes/recipe.h"

namespace stitch::synth {
namespace {

// Names of somebody else's classes become a part of a program.
bool is_dotted_name(const std::string& text) {
  for (const char c : text) {
    if (!(c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      return false;
    }
  }
  return !text.empty();
}

std::string python_text(const Json& value) {
  if (value.is_boolean()) {
    return value.get<bool>() ? "True" : "False";
  }
  return value.is_number() ? value.dump() : "None";
}

Result<MinedModule> module_from_json(const Json& json) {
  MinedModule module;
  STITCH_ASSIGN(module.model, json_string(json, "model"));
  STITCH_ASSIGN(module.module, json_string(json, "module"));
  STITCH_ASSIGN(module.kind, json_string(json, "class"));
  STITCH_ASSIGN(module.config, json_string(json, "config"));
  STITCH_ASSIGN(module.config_module, json_string(json, "config_module"));
  STITCH_ASSIGN(const std::string takes, json_string(json, "takes"));
  module.takes_width = takes == "width";
  STITCH_ASSIGN(module.takes_layer_index, json_bool(json, "layer_index"));
  STITCH_ASSIGN(const Json* widths, json_object(json, "widths"));
  for (const auto& [name, value] : widths->items()) {
    module.widths.emplace_back(name, value.is_number() ? value.get<int64_t>() : 1);
  }
  STITCH_ASSIGN(const Json* settings, json_object(json, "settings"));
  for (const auto& [name, value] : settings->items()) {
    module.settings.emplace_back(name, python_text(value));
  }
  if (!is_dotted_name(module.model) || !is_dotted_name(module.module) || !is_dotted_name(module.kind)) {
    return failure(ErrorCode::kFileInvalid, "a layer of transformers has no name of a class: " + module.kind);
  }
  return module;
}

}  // namespace

Result<std::vector<MinedModule>> mined_modules_from_json(const Json& json) {
  STITCH_ASSIGN(const Json* list, json_array(json, "modules"));
  std::vector<MinedModule> modules;
  for (const Json& each : *list) {
    STITCH_ASSIGN(MinedModule module, module_from_json(each));
    modules.push_back(std::move(module));
  }
  return modules;
}

Tensor write_mined(Writer& writer, const MinedModule& module) {
  Tensor value = first_value(writer, Layout::kTokens);
  const std::string& width = writer.in_layer(value.features());
  writer.draft().imports.push_back(fmt::format("from {} import {}", module.module, module.kind));
  std::vector<std::string> arguments;
  if (!module.config.empty()) {
    writer.draft().imports.push_back(fmt::format("from {} import {}", module.config_module, module.config));
    std::vector<std::string> settings;
    for (const auto& [name, factor] : module.widths) {
      settings.push_back(factor == 1 ? fmt::format("{}={}", name, width)
                                     : fmt::format("{}={} * {}", name, factor, width));
    }
    for (const auto& [name, text] : module.settings) {
      // Four heads of a quarter of the width each.
      settings.push_back(name == "head_dim" ? fmt::format("head_dim={} // 4", width)
                                            : fmt::format("{}={}", name, text));
    }
    arguments.push_back(fmt::format("{}({})", module.config, fmt::join(settings, ", ")));
  } else if (module.takes_width) {
    arguments.push_back(width);
  }
  if (module.takes_layer_index) {
    arguments.push_back("0");
  }
  // Some of these drop a part of what they are given while they are trained.
  const std::string layer =
      writer.layer("layer", fmt::format("{}({}).eval()", module.kind, fmt::join(arguments, ", ")));
  const std::string result = writer.assign("result", fmt::format("{}({})", layer, value.name));
  writer.step(value, fmt::format("{0}[0] if isinstance({0}, tuple) else {0}", result));
  writer.took("transformers", module.model + "." + module.kind, kMinedKind);
  return value;
}

}  // namespace stitch::synth
