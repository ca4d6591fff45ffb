// SPDX-License-Identifier: Apache-2.0
#include "bench/data/toml.h"

#include <fmt/format.h>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/json/json.h"

namespace stitch::bench {
namespace {

Result<Json> json_of(const toml::node& node, const std::string& what) {
  if (const toml::table* table = node.as_table()) {
    Json object = Json::object();
    for (const auto& [key, value] : *table) {
      STITCH_ASSIGN(object[std::string(key.str())], json_of(value, what));
    }
    return object;
  }
  if (const toml::array* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& value : *array) {
      STITCH_ASSIGN(Json one, json_of(value, what));
      list.push_back(std::move(one));
    }
    return list;
  }
  if (const auto* text = node.as_string()) {
    return Json(text->get());
  }
  if (const auto* number = node.as_integer()) {
    return Json(number->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return Json(number->get());
  }
  if (const auto* flag = node.as_boolean()) {
    return Json(flag->get());
  }
  return failure(ErrorCode::kFileInvalid, "a date stands where none is wanted",
                 fmt::format("{}:{}", what, node.source().begin.line), "put it in quotes");
}

}  // namespace

Result<Json> json_of_toml(std::string_view text, const std::string& what) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return failure(ErrorCode::kFileInvalid, "this is no TOML: " + std::string(parsed.error().description()),
                   fmt::format("{}:{}", what, parsed.error().source().begin.line), "mend that line");
  }
  return json_of(parsed.table(), what);
}

}  // namespace stitch::bench
