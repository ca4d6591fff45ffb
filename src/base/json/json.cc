// SPDX-License-Identifier: Apache-2.0
#include "base/json/json.h"

#include <fmt/format.h>

#include "base/json/depth.h"

namespace stitch {
namespace {

Result<const Json*> member(const Json& object, const char* key, bool (*is_kind)(const Json&), const char* kind) {
  if (!object.is_object() || !object.contains(key)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("member \"{}\" is missing", key));
  }
  const Json& found = object.at(key);
  if (!is_kind(found)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("member \"{}\" is not {}", key, kind));
  }
  return &found;
}

constexpr int kMaxDepth = 256;  // deeper than anything we write

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& what) {
  if (is_nested_deeper(text, kMaxDepth)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is not valid JSON of ours: it is nested too deeply", what),
                   what, "make the file again with the verb that writes it");
  }
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is not valid JSON (truncated or altered?)", what), what,
                   "make the file again with the verb that writes it");
  }
  return parsed;
}

Result<std::string> json_string(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found, member(object, key, [](const Json& j) { return j.is_string(); }, "a string"));
  return found->get<std::string>();
}

Result<int64_t> json_int(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found,
                member(object, key, [](const Json& j) { return j.is_number_integer(); }, "an integer"));
  return found->get<int64_t>();
}

Result<double> json_double(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found, member(object, key, [](const Json& j) { return j.is_number(); }, "a number"));
  return found->get<double>();
}

Result<bool> json_bool(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found, member(object, key, [](const Json& j) { return j.is_boolean(); }, "a boolean"));
  return found->get<bool>();
}

Result<std::vector<int64_t>> json_int_list(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found, json_array(object, key));
  std::vector<int64_t> values;
  for (const Json& item : *found) {
    if (!item.is_number_integer()) {
      return failure(ErrorCode::kFileInvalid, fmt::format("member \"{}\" holds something other than integers", key));
    }
    values.push_back(item.get<int64_t>());
  }
  return values;
}

Result<const Json*> json_array(const Json& object, const char* key) {
  return member(object, key, [](const Json& j) { return j.is_array(); }, "an array");
}

Result<const Json*> json_object(const Json& object, const char* key) {
  return member(object, key, [](const Json& j) { return j.is_object(); }, "an object");
}

}  // namespace stitch
