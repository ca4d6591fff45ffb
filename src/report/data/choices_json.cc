// SPDX-License-Identifier: Apache-2.0
#include "report/data/choices_json.h"

#include <fmt/format.h>

#include <string>

#include "base/json/json.h"

namespace stitch::report {
namespace {

constexpr size_t kShown = 8;

Json number_of(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key] : Json();
}

// "tf32x3_64x64_split_k x4"; empty for what is no setting.
std::string setting_text(const Json& setting) {
  const Result<std::string> variant = json_string(setting, "variant");
  const Result<int64_t> splits = json_int(setting, "splits");
  if (!variant.has_value()) {
    return {};
  }
  return splits.has_value() && *splits > 1 ? fmt::format("{} x{}", *variant, *splits) : *variant;
}

Json alternatives_of(const Json& step, size_t* total) {
  Json list = Json::array();
  const Result<const Json*> written = json_array(step, "alternatives");
  if (!written.has_value()) {
    return list;
  }
  *total = (*written)->size();
  for (const Json& other : **written) {
    const Result<const Json*> setting = json_object(other, "setting");
    if (list.size() < kShown && setting.has_value()) {
      list.push_back({{"setting", setting_text(**setting)},
                      {"estimated_us", number_of(other, "estimated_us")},
                      {"measured_us", number_of(other, "measured_us")}});
    }
  }
  return list;
}

}  // namespace

void add_choices(const Json& plan_json, Json& steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Json& written = plan_json["steps"][i];
    size_t total = 0;
    steps[i]["measured_us"] = number_of(written, "measured_us");
    steps[i]["alternatives"] = alternatives_of(written, &total);
    steps[i]["alternatives_total"] = total;
  }
}

}  // namespace stitch::report
