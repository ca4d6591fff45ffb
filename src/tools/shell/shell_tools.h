// SPDX-License-Identifier: Apache-2.0
// Tools that remember something from call to call: processes in the background, and what is still to be done.
#pragma once

#include "tools/shell/shell_room.h"
#include "tools/spec/tool.h"

namespace stitch::tools {

// The room outlives the tools.
std::unique_ptr<Tool> shell_tool(ShellRoom& room);
std::unique_ptr<Tool> shell_output_tool(ShellRoom& room);
std::unique_ptr<Tool> shell_end_tool(ShellRoom& room);
std::unique_ptr<Tool> grep_tool(ShellRoom& room);
// The list is the caller's own: each call hands the whole of it in, and it is shown back.
std::unique_ptr<Tool> todo_tool();

}  // namespace stitch::tools
