// SPDX-License-Identifier: Apache-2.0
#include "synth/folder/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/json.h"

namespace stitch::synth {
namespace {

// One more whenever recipes, filters or the order of work change: another version makes other tasks.
constexpr const char* kVersion = "stitchcuda.synth/1";

}  // namespace

Json to_json(const Settings& settings) {
  Json filters = Json::array();
  for (const std::string& name : settings.filters) {
    filters.push_back(name);
  }
  return {{"schema", kVersion},        {"seed", settings.seed},
          {"filters", filters},        {"inductor", settings.with_inductor},
          {"device", settings.device}, {"transformers", settings.transformers},
          {"torch", settings.torch}};
}

Result<std::set<std::string>> filters_of(const std::string& text) {
  std::set<std::string> filters;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (std::find(std::begin(kFilters), std::end(kFilters), name) != std::end(kFilters)) {
      filters.insert(name);
    } else if (!name.empty() && name != kAlways) {
      return failure(ErrorCode::kUsage, "there is no filter called " + name, "--filters",
                     fmt::format("name some of eager, {}, with commas between them", fmt::join(kFilters, ", ")));
    }
    begin = end + 1;
  }
  return filters;
}

std::string difference(const Json& before, const Settings& now) {
  const Json asked = to_json(now);
  for (const auto& [key, value] : asked.items()) {
    if (!before.contains(key) || before[key] != value) {
      return fmt::format("it was begun with {} {}, not {}", key, before.contains(key) ? before[key].dump() : "unknown",
                         value.dump());
    }
  }
  return {};
}

}  // namespace stitch::synth
