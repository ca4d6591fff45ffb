// SPDX-License-Identifier: Apache-2.0
#include "synth/folder/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json/json.h"
#include "synth/recipes/recipe.h"

namespace stitch::synth {
namespace {

// One more whenever recipes, filters or the order of work change: another version makes other tasks.
constexpr const char* kVersion = "stitchcuda.synth/1";

// What stands between the commas of `text`, each of `known`.
Result<std::set<std::string>> names_in(const std::string& text, const std::set<std::string>& known,
                                       const std::string& what, const std::string& option) {
  std::set<std::string> names;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    if (known.count(name) != 0) {
      names.insert(name);
    } else if (!name.empty()) {
      return failure(ErrorCode::kUsage, "there is no " + what + " called " + name, option,
                     fmt::format("name some of {}, with commas between them", fmt::join(known, ", ")));
    }
    begin = end + 1;
  }
  return names;
}

// Folders from before there were kinds were made of all.
Json value_before(const Json& before, const std::string& key) {
  return before.contains(key) ? before[key] : key == "kinds" ? Json::array() : Json();
}

}  // namespace

Json to_json(const Settings& settings) {
  return {{"schema", kVersion},
          {"seed", settings.seed},
          {"filters", settings.filters},
          {"kinds", settings.kinds},
          {"inductor", settings.with_inductor},
          {"device", settings.device},
          {"transformers", settings.transformers},
          {"torch", settings.torch}};
}

Result<std::set<std::string>> filters_of(const std::string& text) {
  std::set<std::string> known(std::begin(kFilters), std::end(kFilters));
  known.insert(kAlways);
  STITCH_ASSIGN(std::set<std::string> filters, names_in(text, known, "filter", "--filters"));
  filters.erase(kAlways);
  return filters;
}

Result<std::set<std::string>> kinds_of(const std::string& text) {
  return names_in(text, step_kinds(), "kind of step", "--kinds");
}

std::string difference(const Json& before, const Settings& now) {
  const Json asked = to_json(now);
  for (const auto& [key, value] : asked.items()) {
    const Json had = value_before(before, key);
    if (had != value) {
      return fmt::format("it was begun with {} {}, not {}", key, had.is_null() ? "unknown" : had.dump(), value.dump());
    }
  }
  return {};
}

}  // namespace stitch::synth
