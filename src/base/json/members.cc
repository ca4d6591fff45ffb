// SPDX-License-Identifier: Apache-2.0
#include "base/json/members.h"

#include <fmt/format.h>

#include <limits>

namespace stitch {

Result<int> json_small_int(const Json& object, const char* key) {
  STITCH_ASSIGN(const int64_t value, json_int(object, key));
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("member \"{}\" is {}, beyond what it may be", key, value));
  }
  return static_cast<int>(value);
}

Result<std::vector<std::string>> json_string_list(const Json& object, const char* key) {
  STITCH_ASSIGN(const Json* found, json_array(object, key));
  std::vector<std::string> values;
  for (const Json& item : *found) {
    if (!item.is_string()) {
      return failure(ErrorCode::kFileInvalid, fmt::format("member \"{}\" holds something other than strings", key));
    }
    values.push_back(item.get<std::string>());
  }
  return values;
}

}  // namespace stitch
