// SPDX-License-Identifier: Apache-2.0
// A member that is only shown: what is absent or of another kind is left out, and nothing is thrown.
#pragma once

#include <string>

#include "base/json/json.h"

namespace stitch {

inline std::string shown_string(const Json& object, const char* key, const std::string& fallback) {
  const Result<std::string> found = json_string(object, key);
  return found.has_value() ? *found : fallback;
}

inline int64_t shown_int(const Json& object, const char* key, int64_t fallback) {
  const Result<int64_t> found = json_int(object, key);
  return found.has_value() ? *found : fallback;
}

}  // namespace stitch
