// SPDX-License-Identifier: Apache-2.0
#include "tools/spec/tool_context.h"

#include "base/json/json.h"

namespace stitch::tools {

Json to_json(const ToolSettings& settings) {
  return Json{{"root", settings.root.string()},
              {"confined", settings.is_confined},
              {"caged", settings.cage == sandbox::CageMode::kCaged}};
}

Result<ToolSettings> tool_settings_from_json(const Json& json) {
  ToolSettings settings;
  STITCH_ASSIGN(const std::string root, json_string(json, "root"));
  STITCH_ASSIGN(settings.is_confined, json_bool(json, "confined"));
  STITCH_ASSIGN(const bool caged, json_bool(json, "caged"));
  settings.root = root;
  settings.cage = caged ? sandbox::CageMode::kCaged : sandbox::CageMode::kNone;
  return settings;
}

}  // namespace stitch::tools
