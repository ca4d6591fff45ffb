// SPDX-License-Identifier: Apache-2.0
#include "grammar/schema/read_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/guard/guarded.h"
#include "base/json/json.h"
#include "base/text/printable.h"
#include "grammar/schema/overlap.h"

namespace stitch::grammar {
namespace {

constexpr std::array<std::string_view, 13> kAnnotations = {
    "title",      "description", "default",   "examples", "$schema",     "$id",     "$comment",
    "deprecated", "readOnly",    "writeOnly", "$defs",    "definitions", "$anchor",
};
constexpr int64_t kMostOfCount = int64_t{1} << 24;  // of characters and items
constexpr size_t kMaxNodes = 20'000;
constexpr int kMaxNested = 64;

struct TypeRow {
  std::string_view name;
  std::vector<std::string_view> keys;  // that say more about it
};
const std::vector<TypeRow>& types() {
  static const std::vector<TypeRow> rows = {
      {"object", {"properties", "required", "additionalProperties"}},
      {"array", {"items", "minItems", "maxItems"}},
      {"string", {"minLength", "maxLength"}},
      {"integer", {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}},
      {"number", {}},
      {"boolean", {}},
      {"null", {}},
  };
  return rows;
}
const TypeRow* type_named(std::string_view name) {
  const auto found = std::find_if(types().begin(), types().end(), [&](const TypeRow& row) { return row.name == name; });
  return found == types().end() ? nullptr : &*found;
}

bool is_of_type(const Json& value, std::string_view type) {
  switch (value.type()) {
    case Json::value_t::object:
      return type == "object";
    case Json::value_t::array:
      return type == "array";
    case Json::value_t::string:
      return type == "string";
    case Json::value_t::boolean:
      return type == "boolean";
    case Json::value_t::null:
      return type == "null";
    default:
      return type == "number" || (type == "integer" && value.is_number_integer());
  }
}

// A whole number from -most to most.
std::optional<int64_t> whole(const Json& value, int64_t most) {
  const bool is_huge = value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(most);
  if (!value.is_number_integer() || is_huge || value.get<int64_t>() < -most || value.get<int64_t>() > most) {
    return std::nullopt;
  }
  return value.get<int64_t>();
}

Unexpected refused(const std::string& where, const std::string& why) {
  return failure(ErrorCode::kUsage, fmt::format("the schema at {} {}", printable_line(where, 200), why), where,
                 "write it with types, properties, items, enum, const, anyOf, oneOf and $ref alone");
}

class SchemaReader {
 public:
  explicit SchemaReader(const Json& document) : document_(document) {}

  Result<Grammar> read() && {
    add({.kind = NodeKind::kString}, "#");  // kAnyString
    STITCH_ASSIGN(grammar_.root, node_of(document_, "#", 0));
    find_depths();
    for (NodeId id = 0; id < grammar_.nodes.size(); ++id) {
      if (grammar_.nodes[id].depth > kMaxDepth) {
        return refused(places_[id], "has no text that ends: it requires itself again and again");
      }
    }
    STITCH_TRY(check_choices());
    return std::move(grammar_);
  }

 private:
  NodeId add(Node node, const std::string& where) {
    grammar_.nodes.push_back(std::move(node));
    places_.push_back(where);
    return static_cast<NodeId>(grammar_.nodes.size() - 1);
  }

  Result<NodeId> node_of(const Json& schema, const std::string& where, int nested) {
    if (nested > kMaxNested || grammar_.nodes.size() > kMaxNodes) {
      return refused(where, "is too deep or too large");
    }
    if (schema.is_boolean() && schema.get<bool>()) {
      return any_value();
    }
    if (!schema.is_object()) {
      return refused(where, "is no object");
    }
    for (const char* key : {"$ref", "const", "enum", "anyOf", "oneOf", "type"}) {
      if (schema.contains(key)) {
        return node_by(key, schema, where, nested);
      }
    }
    STITCH_TRY(check_keys(schema, where, {}));
    return any_value();
  }

  Result<NodeId> node_by(std::string_view key, const Json& schema, const std::string& where, int nested) {
    if (key == "$ref") {
      STITCH_TRY(check_keys(schema, where, {"$ref"}));
      return referred(schema.at("$ref"), where, nested);
    }
    if (key == "const") {
      STITCH_TRY(check_keys(schema, where, {"const", "type"}));
      return choice(Json::array({schema.at("const")}), schema, where);
    }
    if (key == "enum") {
      STITCH_TRY(check_keys(schema, where, {"enum", "type"}));
      return choice(schema.at("enum"), schema, where);
    }
    if (key == "type") {
      return typed(schema, where, nested);
    }
    STITCH_TRY(check_keys(schema, where, {key}));
    return alternatives(std::string(key), schema, where, nested);
  }

  // Whoever states more than is read here would be told that a text keeps to it when it does not.
  Result<void> check_keys(const Json& schema, const std::string& where, const std::vector<std::string_view>& known) {
    for (const auto& [key, value] : schema.items()) {
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end() ||
                            std::find(kAnnotations.begin(), kAnnotations.end(), key) != kAnnotations.end();
      if (!is_known) {
        return refused(where, fmt::format("has '{}', which is not read{}", printable_line(key, 60),
                                          known.empty() ? " without 'type'" : " there"));
      }
    }
    return {};
  }

  Result<NodeId> referred(const Json& target, const std::string& where, int nested) {
    const std::string name = target.is_string() ? target.get<std::string>() : "";
    if (!name.starts_with('#')) {
      return refused(where, "refers to what is not in it: a $ref has to begin with #");
    }
    if (const auto known = references_.find(name); known != references_.end()) {
      return known->second;
    }
    const auto found = guarded([&] { return &document_.at(Json::json_pointer(name.substr(1))); }, ErrorCode::kUsage,
                               "no place in a schema");
    if (!found.has_value()) {
      return refused(where, fmt::format("refers to {}, which is not there", printable_line(name, 100)));
    }
    // It may refer to itself while it is read.
    const NodeId id = add({.kind = NodeKind::kAnyOf}, name);
    references_[name] = id;
    STITCH_ASSIGN(const NodeId child, node_of(**found, name, nested + 1));
    grammar_.nodes[id].children = {child};
    return id;
  }

  Result<NodeId> choice(const Json& values, const Json& schema, const std::string& where) {
    if (!values.is_array()) {
      return refused(where, "has an enum that is no list");
    }
    Node node{.kind = NodeKind::kAnyOf};
    STITCH_ASSIGN(const std::vector<std::string> names, type_names(schema, where));
    for (const Json& value : values) {
      if (names.empty() ||
          std::any_of(names.begin(), names.end(), [&](const std::string& name) { return is_of_type(value, name); })) {
        node.children.push_back(add({.kind = NodeKind::kLiteral, .literal = value.dump()}, where));
      }
    }
    return node.children.empty() ? Result<NodeId>(refused(where, "has no value of its type"))
                                 : Result<NodeId>(add(std::move(node), where));
  }

  Result<NodeId> alternatives(const std::string& key, const Json& schema, const std::string& where, int nested) {
    const Json& list = schema.at(key);
    if (!list.is_array() || list.empty()) {
      return refused(where, fmt::format("has an {} that is no list of schemas", key));
    }
    Node node{.kind = NodeKind::kAnyOf};
    for (size_t i = 0; i < list.size(); ++i) {
      STITCH_ASSIGN(const NodeId child, node_of(list[i], fmt::format("{}/{}/{}", where, key, i), nested + 1));
      node.children.push_back(child);
    }
    const NodeId id = add(std::move(node), where);
    if (key == "oneOf") {
      exclusive_.insert(id);
    }
    return id;
  }

  Result<std::vector<std::string>> type_names(const Json& schema, const std::string& where) {
    std::vector<std::string> names;
    if (!schema.contains("type")) {
      return names;
    }
    const Json& type = schema.at("type");
    for (const Json& name : type.is_array() ? type : Json::array({type})) {
      if (!name.is_string() || type_named(name.get<std::string>()) == nullptr) {
        return refused(where, "has a type that JSON schema does not know");
      }
      names.push_back(name.get<std::string>());
    }
    return names.empty() ? Result<std::vector<std::string>>(refused(where, "has no type in its list"))
                         : Result<std::vector<std::string>>(std::move(names));
  }

  Result<NodeId> typed(const Json& schema, const std::string& where, int nested) {
    STITCH_ASSIGN(const std::vector<std::string> names, type_names(schema, where));
    std::vector<std::string_view> known = {"type"};
    for (const std::string& name : names) {
      const TypeRow* row = type_named(name);
      known.insert(known.end(), row->keys.begin(), row->keys.end());
    }
    STITCH_TRY(check_keys(schema, where, known));
    if (names.size() == 1) {
      return of_type(names.front(), schema, where, nested);
    }
    Node node{.kind = NodeKind::kAnyOf};
    for (const std::string& name : names) {
      STITCH_ASSIGN(const NodeId child, of_type(name, schema, where, nested));
      node.children.push_back(child);
    }
    return add(std::move(node), where);
  }

  Result<NodeId> of_type(const std::string& name, const Json& schema, const std::string& where, int nested) {
    if (name == "object") {
      return object(schema, where, nested);
    }
    if (name == "array") {
      return array(schema, where, nested);
    }
    if (name == "integer") {
      return integer(schema, where);
    }
    if (name == "string") {
      Node node{.kind = NodeKind::kString};
      STITCH_TRY(read_counts(schema, where, {"minLength", "maxLength"}, node));
      return add(std::move(node), where);
    }
    if (name == "boolean") {
      return choice(Json::array({true, false}), Json::object(), where);
    }
    return add(name == "number" ? Node{.kind = NodeKind::kNumber} : Node{.literal = "null"}, where);
  }

  Result<void> read_counts(const Json& schema, const std::string& where, std::pair<const char*, const char*> keys,
                           Node& node) {
    for (const char* key : {keys.first, keys.second}) {
      if (!schema.contains(key)) {
        continue;
      }
      const std::optional<int64_t> count = whole(schema.at(key), kMostOfCount);
      if (count.value_or(-1) < 0) {
        return refused(where, fmt::format("has a '{}' that is no count up to {}", key, kMostOfCount));
      }
      (key == keys.first ? node.least : node.most) = *count;
    }
    return node.least <= node.most ? Result<void>() : Result<void>(refused(where, "has limits that nothing is within"));
  }

  Result<NodeId> integer(const Json& schema, const std::string& where) {
    Node node{.kind = NodeKind::kInteger, .least = -kMostOfInteger, .most = kMostOfInteger};
    for (const auto& [key, is_least, step] :
         {std::tuple("minimum", true, 0), std::tuple("exclusiveMinimum", true, 1), std::tuple("maximum", false, 0),
          std::tuple("exclusiveMaximum", false, -1)}) {
      if (!schema.contains(key)) {
        continue;
      }
      const std::optional<int64_t> value = whole(schema.at(key), kMostOfInteger);
      if (!value.has_value()) {
        return refused(where, fmt::format("has a '{}' that is no whole number of at most 18 digits", key));
      }
      const int64_t bound = *value + step;
      node.least = is_least ? std::max(node.least, bound) : node.least;
      node.most = is_least ? node.most : std::min(node.most, bound);
    }
    return node.least <= node.most ? Result<NodeId>(add(std::move(node), where))
                                   : Result<NodeId>(refused(where, "has limits that nothing is within"));
  }

  Result<NodeId> array(const Json& schema, const std::string& where, int nested) {
    Node node{.kind = NodeKind::kArray};
    STITCH_TRY(read_counts(schema, where, {"minItems", "maxItems"}, node));
    STITCH_ASSIGN(const NodeId item, schema.contains("items")
                                         ? node_of(schema.at("items"), where + "/items", nested + 1)
                                         : Result<NodeId>(any_value()));
    node.children = {item};
    return add(std::move(node), where);
  }

  Result<NodeId> object(const Json& schema, const std::string& where, int nested) {
    static const Json kTrue = true;
    const Json& others = schema.contains("additionalProperties") ? schema.at("additionalProperties") : kTrue;
    const Json properties = schema.value("properties", Json::object());
    if (!properties.is_object() || properties.size() > kMaxProperties) {
      return refused(where, fmt::format("has no object of at most {} properties", kMaxProperties));
    }
    if (properties.empty() && !(others.is_boolean() && !others.get<bool>())) {
      if (!schema.value("required", Json::array()).empty()) {
        return refused(where, "requires properties that it does not describe");
      }
      STITCH_ASSIGN(const NodeId value, node_of(others, where + "/additionalProperties", nested + 1));
      return add({.kind = NodeKind::kMap, .children = {value}}, where);
    }
    if (!others.is_boolean()) {
      return refused(where, "describes both properties and others, of which one alone is read");
    }
    Node node{.kind = NodeKind::kObject};
    for (const auto& [name, value] : properties.items()) {
      STITCH_ASSIGN(const NodeId id, node_of(value, where + "/properties/" + name, nested + 1));
      node.properties.push_back({.key = Json(name).dump(), .value = id});
    }
    STITCH_TRY(read_required(schema, where, node));
    return add(std::move(node), where);
  }

  Result<void> read_required(const Json& schema, const std::string& where, Node& node) {
    const Json required = schema.value("required", Json::array());
    if (!required.is_array()) {
      return refused(where, "has a 'required' that is no list");
    }
    for (const Json& name : required) {
      const auto found = std::find_if(node.properties.begin(), node.properties.end(),
                                      [&](const Property& each) { return each.key == name.dump(); });
      if (found == node.properties.end()) {
        return refused(where, fmt::format("requires {}, which it does not describe", printable_line(name.dump(), 60)));
      }
      found->is_required = true;
    }
    return {};
  }

  NodeId any_value() {
    if (!any_.has_value()) {
      any_ = add({.kind = NodeKind::kAnyOf}, "#");
      const NodeId map = add({.kind = NodeKind::kMap, .children = {*any_}}, "#");
      const NodeId array = add({.kind = NodeKind::kArray, .children = {*any_}}, "#");
      std::vector<NodeId> children = {map, array, add({.kind = NodeKind::kString}, "#"),
                                      add({.kind = NodeKind::kNumber}, "#")};
      for (const char* word : {"true", "false", "null"}) {
        children.push_back(add({.literal = word}, "#"));
      }
      grammar_.nodes[*any_].children = std::move(children);
    }
    return *any_;
  }

  // Upwards from the values that hold no others, until nothing becomes shallower.
  void find_depths() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (Node& node : grammar_.nodes) {
        const int depth = std::min(depth_of(node), kMaxDepth + 1);
        has_changed = has_changed || depth != node.depth;
        node.depth = depth;
      }
    }
  }

  int depth_of(const Node& node) const {
    int inner = 0;
    switch (node.kind) {
      case NodeKind::kAnyOf:
        inner = kMaxDepth + 1;
        for (const NodeId child : node.children) {
          inner = std::min(inner, grammar_.nodes[child].depth);
        }
        return inner;
      case NodeKind::kObject:
        for (const Property& property : node.properties) {
          inner = std::max(inner, property.is_required ? grammar_.nodes[property.value].depth : 0);
        }
        return 1 + inner;
      case NodeKind::kArray:
        return 1 + (node.least > 0 ? grammar_.nodes[node.children.front()].depth : 0);
      default:
        return 1;
    }
  }

  Result<void> check_choices() const {
    for (const NodeId id : exclusive_) {
      const std::vector<NodeId>& children = grammar_.nodes[id].children;
      for (size_t i = 0; i < children.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (may_overlap(grammar_, children[j], children[i])) {
            return refused(places_[id], fmt::format("has a oneOf whose choices {} and {} may both apply; write anyOf",
                                                    j + 1, i + 1));
          }
        }
      }
    }
    return {};
  }

  const Json& document_;
  Grammar grammar_;
  std::vector<std::string> places_;  // of the nodes
  std::map<std::string, NodeId> references_;
  std::set<NodeId> exclusive_;  // of oneOf
  std::optional<NodeId> any_;
};

}  // namespace

Result<Grammar> read_schema(const Json& schema) { return SchemaReader(schema).read(); }

Json any_object_schema() { return {{"type", "object"}}; }

}  // namespace stitch::grammar
