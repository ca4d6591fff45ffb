// SPDX-License-Identifier: Apache-2.0
#include "tools/requests/requests.h"
#include "tools/table/tool_table.h"

namespace stitch::tools {

ToolTable builtin_tools() {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(import_tool());
  tools.push_back(plan_tool());
  tools.push_back(expert_program_tool());
  tools.push_back(group_tool());
  tools.push_back(compile_tool());
  tools.push_back(check_tool());
  tools.push_back(verify_tool());
  tools.push_back(score_tool());
  tools.push_back(profile_tool());
  tools.push_back(docs_tool());
  tools.push_back(runs_tool());
  return ToolTable(std::move(tools));
}

}  // namespace stitch::tools
