// SPDX-License-Identifier: Apache-2.0
#include "tools/table/workspace_tools.h"

#include "tools/files/file_tools.h"
#include "tools/shell/shell_tools.h"

namespace stitch::tools {

ToolTable workspace_tools(ShellRoom& room) {
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(read_tool());
  tools.push_back(write_tool());
  tools.push_back(edit_tool());
  tools.push_back(multi_edit_tool());
  tools.push_back(glob_tool());
  tools.push_back(grep_tool(room));
  tools.push_back(todo_tool());
  tools.push_back(shell_tool(room));
  tools.push_back(shell_output_tool(room));
  tools.push_back(shell_end_tool(room));
  return ToolTable(std::move(tools));
}

}  // namespace stitch::tools
