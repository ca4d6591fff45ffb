// SPDX-License-Identifier: Apache-2.0
#include "recipe/keys/references.h"

#include <fmt/format.h>

#include <utility>

namespace stitch::recipe {
namespace {

constexpr std::string_view kRun = ".run";
constexpr std::pair<const char*, const char*> kPaths[] = {
    {"model", "path"},       {"model", "adapter"},    {"model", "config"},  {"ppo", "critic"},
    {"data", "train"},       {"data", "held_out"},    {"data", "rollouts"}, {"prompts", "train"},
    {"prompts", "held_out"}, {"prompts", "tokenizer"}};

// What stands in the braces that a path begins with; empty for another path, or one whose brace is not closed.
std::string braced(const std::string& path) {
  const size_t end = path.find('}');
  return path.starts_with("{") && end != std::string::npos ? path.substr(1, end - 1) : std::string();
}

Result<std::string> placed(const std::string& path, const StagePlaces& places, const std::string& where) {
  if (!path.starts_with("{")) {
    return path;
  }
  const std::string name = stage_named_in(path);
  const auto found = places.find(name);
  if (found == places.end()) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' names no stage before this one", path), where,
                   "write {NAME}/... for the last checkpoint of a stage, {NAME.run}/... for its run's folder");
  }
  const std::string inside = braced(path);
  return (inside == name ? found->second.checkpoint : found->second.run) + path.substr(inside.size() + 2);
}

}  // namespace

std::string stage_named_in(const std::string& path) {
  const std::string inside = braced(path);
  return inside.ends_with(kRun) ? inside.substr(0, inside.size() - kRun.size()) : inside;
}

Result<Json> with_places(const Json& keys, const StagePlaces& places, const std::string& where) {
  Json result = keys;
  for (const auto& [section, key] : kPaths) {
    if (!result.contains(section) || !result[section].is_object() || !result[section].contains(key)) {
      continue;
    }
    Json& value = result[section][key];
    if (value.is_string()) {
      STITCH_ASSIGN(value, placed(value.get<std::string>(), places, where));
    }
    if (value.is_array()) {
      for (Json& each : value) {
        STITCH_ASSIGN(each, placed(each.is_string() ? each.get<std::string>() : "", places, where));
      }
    }
  }
  return result;
}

}  // namespace stitch::recipe
