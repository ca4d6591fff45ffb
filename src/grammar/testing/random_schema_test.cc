// SPDX-License-Identifier: Apache-2.0
#include "grammar/testing/random_schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::grammar::testing {
namespace {

constexpr int kDeepest = 12;

const Json& any_of(Chance& chance, const Json& list) { return list[below(chance, list.size())]; }

Json random_scalar_schema(Chance& chance) {
  switch (below(chance, 7)) {
    case 0:
      return {{"type", "string"}};
    case 1:
      return {{"type", "string"}, {"minLength", below(chance, 3)}, {"maxLength", 3 + below(chance, 40)}};
    case 2:
      return {{"type", "integer"}};
    case 3: {
      const int64_t least = static_cast<int64_t>(below(chance, 2000)) - 1000;
      return {{"type", "integer"}, {"minimum", least}, {"maximum", least + static_cast<int64_t>(below(chance, 3000))}};
    }
    case 4:
      return {{"type", "number"}};
    case 5:
      return {{"enum", {"x", "xy", "\"quoted\"", 1, true, nullptr}}};
    default:
      return any_of(chance, Json{{{"type", "boolean"}}, {{"type", "null"}}, {{"const", "fixed"}}, Json::object()});
  }
}

Json schema_within(Chance& chance, int depth) {
  const size_t kind = below(chance, depth <= 0 ? 4 : 10);
  if (kind < 4) {
    return random_scalar_schema(chance);
  }
  if (kind < 7) {
    Json schema = {{"type", "object"}, {"properties", Json::object()}, {"required", Json::array()}};
    const size_t count = below(chance, 5);
    for (size_t i = 0; i < count; ++i) {
      const std::string name = any_of(chance, {"a", "ab", "tool", "\u00e9 \"x\"", "\n"}).get<std::string>();
      if (!schema["properties"].contains(name) && below(chance, 2) == 0) {
        schema["required"].push_back(name);
      }
      schema["properties"][name] = schema_within(chance, depth - 1);
    }
    if (count > 0 || below(chance, 2) == 0) {
      schema["additionalProperties"] = false;
    }
    return schema;
  }
  if (kind == 7) {
    Json schema = {{"type", "array"}, {"items", schema_within(chance, depth - 1)}};
    if (below(chance, 2) == 0) {
      schema["minItems"] = below(chance, 3);
      schema["maxItems"] = 2 + below(chance, 3);
    }
    return schema;
  }
  if (kind == 8) {
    return {{"anyOf", {schema_within(chance, depth - 1), schema_within(chance, depth - 1)}}};
  }
  return {{"$ref", below(chance, 2) == 0 ? "#/$defs/list" : "#/$defs/tree"}};
}

std::string random_characters(Chance& chance, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += any_of(chance, {"a", "}", "\"", "\\", "\n", "\u00e9", "\u20ac", "\U0001f600", "\u0001", " "})
                .get<std::string>();
  }
  return text;
}

std::optional<Json> value_within(Chance& chance, const Json& document, const Json& schema, int depth);

std::optional<Json> object_within(Chance& chance, const Json& document, const Json& schema, int depth) {
  Json value = Json::object();
  if (!schema.contains("properties") || schema["properties"].empty()) {
    if (!schema.contains("additionalProperties")) {
      value[random_characters(chance, 3)] = random_characters(chance, 2);
    }
    return value;
  }
  std::vector<std::string> names;
  for (const auto& [name, property] : schema["properties"].items()) {
    names.push_back(name);
  }
  std::shuffle(names.begin(), names.end(), chance);
  for (const std::string& name : names) {
    const Json& required = schema["required"];
    if (std::find(required.begin(), required.end(), name) != required.end() || below(chance, 2) == 0) {
      std::optional<Json> inner = value_within(chance, document, schema["properties"][name], depth + 1);
      if (!inner.has_value()) {
        return std::nullopt;
      }
      value[name] = std::move(*inner);
    }
  }
  return value;
}

std::optional<Json> array_within(Chance& chance, const Json& document, const Json& schema, int depth) {
  const size_t least = schema.value("minItems", size_t{0});
  const size_t count = least + below(chance, schema.value("maxItems", size_t{3}) - least + 1);
  Json value = Json::array();
  for (size_t i = 0; i < count; ++i) {
    std::optional<Json> item = value_within(chance, document, schema["items"], depth + 1);
    if (!item.has_value()) {
      return std::nullopt;
    }
    value.push_back(std::move(*item));
  }
  return value;
}

Json scalar_within(Chance& chance, const Json& schema, const std::string& type) {
  if (type == "string") {
    const size_t least = schema.value("minLength", size_t{0});
    return random_characters(chance, least + below(chance, schema.value("maxLength", size_t{8}) - least + 1));
  }
  if (type == "integer") {
    const int64_t least = schema.value("minimum", int64_t{-1'000'000});
    return least + static_cast<int64_t>(
                       below(chance, static_cast<size_t>(schema.value("maximum", int64_t{1'000'000}) - least + 1)));
  }
  if (type == "number") {
    return any_of(chance, {0, -1, 2.5, 1e-7, -1.25e20, 123456789});
  }
  return type == "boolean" ? Json(below(chance, 2) == 0) : Json();
}

std::optional<Json> value_within(Chance& chance, const Json& document, const Json& schema, int depth) {
  if (depth > kDeepest) {
    return std::nullopt;
  }
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>();
    return value_within(chance, document, document.at(Json::json_pointer(name.substr(1))), depth + 1);
  }
  if (schema.contains("const")) {
    return schema["const"];
  }
  if (schema.contains("enum")) {
    return any_of(chance, schema["enum"]);
  }
  if (schema.contains("anyOf")) {
    return value_within(chance, document, any_of(chance, schema["anyOf"]), depth + 1);
  }
  if (!schema.contains("type")) {
    return any_of(chance, {Json::parse(R"({"any": [1, {"b": null}]})"), "text", 4, nullptr});
  }
  const std::string type = schema["type"].get<std::string>();
  return type == "object"  ? object_within(chance, document, schema, depth)
         : type == "array" ? array_within(chance, document, schema, depth)
                           : std::optional<Json>(scalar_within(chance, schema, type));
}

std::string white(Chance& chance) { return any_of(chance, {"", "", " ", "\n  ", "\t"}).get<std::string>(); }

// Now and then with escapes that nobody needs.
std::string text_of_string(Chance& chance, const std::string& value) {
  std::string text = Json(value).dump(-1, ' ', below(chance, 3) == 0);
  if (below(chance, 3) == 0) {
    for (size_t at = 1; at + 1 < text.size(); ++at) {
      if (text[at] == '\\') {
        at += text[at + 1] == 'u' ? 5 : 1;
      } else if (text[at] == 'a') {
        text.replace(at, 1, "\\u0061");
        at += 5;
      }
    }
  }
  return text;
}

}  // namespace

size_t below(Chance& chance, size_t count) { return count == 0 ? 0 : chance() % count; }

Json random_schema(Chance& chance) {
  Json schema = schema_within(chance, 3);
  schema["title"] = "by chance";
  schema["$defs"]["list"] = Json::parse(R"({"type": "array", "items": {"type": "integer"}, "maxItems": 4})");
  schema["$defs"]["tree"] = Json::parse(R"({"type": "object", "properties": {"name": {"type": "string"},
      "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["name"],
      "additionalProperties": false})");
  return schema;
}

std::optional<Json> random_value(Chance& chance, const Json& document) {
  return value_within(chance, document, document, 0);
}

std::string random_text(Chance& chance, const Json& value) {
  if (value.is_string()) {
    return text_of_string(chance, value.get<std::string>());
  }
  if (!value.is_structured()) {
    return value.dump();
  }
  std::string text = value.is_object() ? "{" : "[";
  text += white(chance);
  bool is_first = true;
  for (const auto& [key, inner] : value.items()) {
    text += is_first ? "" : "," + white(chance);
    is_first = false;
    // Keys are written as a printer writes them.
    text += value.is_object() ? Json(key).dump() + white(chance) + ":" + white(chance) : "";
    text += random_text(chance, inner) + white(chance);
  }
  return text + (value.is_object() ? "}" : "]");
}

}  // namespace stitch::grammar::testing
