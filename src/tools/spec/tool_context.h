// SPDX-License-Identifier: Apache-2.0
// What a tool's call happens in: where paths begin, and what is lent to the driver.
#pragma once

#include <filesystem>

#include "driver/job/job.h"

namespace stitch::tools {

// Plain values: they travel to the process that runs a tool.
struct ToolSettings {
  std::filesystem::path root;  // absolute: what paths are relative to
  bool is_confined = false;    // no path may lead out of it
  sandbox::CageMode cage = sandbox::CageMode::kCaged;
};

Json to_json(const ToolSettings& settings);
Result<ToolSettings> tool_settings_from_json(const Json& json);

struct ToolContext {
  ToolSettings settings;
  const driver::Services& services;
};

}  // namespace stitch::tools
