// SPDX-License-Identifier: Apache-2.0
// JSON with failures as values: parsing and typed look-ups that return an Error instead of throwing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

// Instantiated once, in json.cc: each source that uses JSON would otherwise compile its own copy of parser and printer.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace stitch {

// `what` names the text in the error, e.g. "plan.json".
Result<Json> parse_json(std::string_view text, const std::string& what);

// Member `key` of `object` as the named kind; kFileInvalid with the key in its sentence otherwise.
Result<std::string> json_string(const Json& object, const char* key);
Result<int64_t> json_int(const Json& object, const char* key);
Result<double> json_double(const Json& object, const char* key);
Result<bool> json_bool(const Json& object, const char* key);
Result<std::vector<int64_t>> json_int_list(const Json& object, const char* key);
// Member `key` that must be an array or an object; the pointer lives as long as `object`.
Result<const Json*> json_array(const Json& object, const char* key);
Result<const Json*> json_object(const Json& object, const char* key);

}  // namespace stitch
