// SPDX-License-Identifier: Apache-2.0
#include "tools/table/tool_table.h"

namespace stitch::tools {

const Tool* ToolTable::find(const std::string& name) const {
  for (const std::unique_ptr<Tool>& tool : tools_) {
    if (tool->spec().name == name) {
      return tool.get();
    }
  }
  return nullptr;
}

std::string ToolTable::names() const {
  std::string names;
  for (const std::unique_ptr<Tool>& tool : tools_) {
    names += (names.empty() ? "" : ", ") + tool->spec().name;
  }
  return names;
}

}  // namespace stitch::tools
