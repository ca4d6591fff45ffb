// SPDX-License-Identifier: Apache-2.0
#include "rewards/members.h"

#include <cmath>

#include "base/json/json.h"

namespace stitch::rewards {

std::string text_in(const Json& object, const char* key) {
  const Json found = object.is_object() ? object.value(key, Json()) : Json();
  return found.is_string() ? found.get<std::string>() : std::string();
}

void add_numbers(const Json& from, const std::string& prefix, std::map<std::string, double>& parts) {
  if (!from.is_object()) {
    return;
  }
  for (const auto& [name, value] : from.items()) {
    if (value.is_number() && std::isfinite(value.get<double>())) {
      parts[prefix + name] = value.get<double>();
    }
  }
}

}  // namespace stitch::rewards
