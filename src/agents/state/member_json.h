// SPDX-License-Identifier: Apache-2.0
// Values as JSON by their lists of members (agents/state/members.h), read with suspicion. For sources alone: it is all
// templates.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "agents/state/members.h"
#include "base/json/json.h"

namespace stitch::agents::member_json {

template <typename T>
concept HasMembers = requires { Members<T>::kList; };

template <typename T>
Json written(const T& value);

template <typename T>
Json written(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) {
    list.push_back(written(value));
  }
  return list;
}

template <typename T>
Json written(const std::optional<T>& value) {
  return value.has_value() ? written(*value) : Json();
}

template <typename T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (HasMembers<T>) {
    Json object = Json::object();
    std::apply([&](const auto&... each) { (object.emplace(each.name, written(value.*each.place)), ...); },
               Members<T>::kList);
    return object;
  } else {
    return value;
  }
}

// Reads until the first thing that is wrong, and keeps the sentence on it.
class Reader {
 public:
  template <typename T>
  void read(const Json& json, const std::string& place, T& into);
  template <typename T>
  void read(const Json& json, const std::string& place, std::vector<T>& into);
  template <typename T>
  void read(const Json& json, const std::string& place, std::optional<T>& into);
  template <typename T>
  void read(const Json& json, const std::string& place, std::map<std::string, T>& into);

  const std::string& problem() const { return problem_; }

 private:
  void refuse(const std::string& place, const std::string& why) {
    if (problem_.empty()) {
      problem_ = fmt::format("{} {}", place, why);
    }
  }
  template <typename T>
  void read_members(const Json& json, const std::string& place, T& into);
  void read_number(const Json& json, const std::string& place, int64_t& into);
  void read_number(const Json& json, const std::string& place, double& into);

  std::string problem_;
};

inline void Reader::read_number(const Json& json, const std::string& place, int64_t& into) {
  if (!json.is_number_integer() || (json.is_number_unsigned() && !std::in_range<int64_t>(json.get<uint64_t>()))) {
    return refuse(place, "is not an integer");
  }
  into = json.get<int64_t>();
}

inline void Reader::read_number(const Json& json, const std::string& place, double& into) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) {
    return refuse(place, "is not a finite number");
  }
  into = json.get<double>();
}

template <typename T>
void Reader::read_members(const Json& json, const std::string& place, T& into) {
  if (!json.is_object()) {
    return refuse(place, "is not an object");
  }
  const auto read_one = [&](const auto& each) {
    const auto found = json.find(each.name);
    const std::string inside = fmt::format("{}.{}", place, each.name);
    return found == json.end() ? refuse(inside, "is missing") : read(*found, inside, into.*each.place);
  };
  std::apply([&](const auto&... each) { (read_one(each), ...); }, Members<T>::kList);
  for (const auto& [name, value] : json.items()) {
    const bool is_known =
        std::apply([&](const auto&... each) { return ((name == each.name) || ...); }, Members<T>::kList);
    if (!is_known && name != "schema") {
      refuse(fmt::format("{}.{}", place, name), "is no member that we know");
    }
  }
}

template <typename T>
void Reader::read(const Json& json, const std::string& place, T& into) {
  if constexpr (std::is_enum_v<T>) {
    const std::optional<T> named = json.is_string() ? from_string<T>(json.get<std::string>()) : std::nullopt;
    if (!named.has_value()) {
      return refuse(place, fmt::format("is {}, none of {}", json.dump(), fmt::join(Names<T>::kList, ", ")));
    }
    into = *named;
  } else if constexpr (HasMembers<T>) {
    read_members(json, place, into);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) {
      return refuse(place, "is not a boolean");
    }
    into = json.get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) {
      return refuse(place, "is not a string");
    }
    into = json.get<std::string>();
  } else {
    read_number(json, place, into);
  }
}

template <typename T>
void Reader::read(const Json& json, const std::string& place, std::vector<T>& into) {
  if (!json.is_array()) {
    return refuse(place, "is not an array");
  }
  for (const Json& each : json) {
    const std::string inside = fmt::format("{}[{}]", place, into.size());
    read(each, inside, into.emplace_back());
  }
}

template <typename T>
void Reader::read(const Json& json, const std::string& place, std::optional<T>& into) {
  if (!json.is_null()) {
    read(json, place, into.emplace());
  }
}

template <typename T>
void Reader::read(const Json& json, const std::string& place, std::map<std::string, T>& into) {
  if (!json.is_object()) {
    return refuse(place, "is not an object");
  }
  for (const auto& [name, value] : json.items()) {
    read(value, fmt::format("{}.{}", place, name), into[name]);
  }
}

}  // namespace stitch::agents::member_json
