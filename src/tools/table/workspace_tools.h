// SPDX-License-Identifier: Apache-2.0
// The tools on a workspace's files, and its shell: for agents of ours, beside those over the driver's requests.
#pragma once

#include "tools/shell/shell_room.h"
#include "tools/table/tool_table.h"

namespace stitch::tools {

// The room outlives the table.
ToolTable workspace_tools(ShellRoom& room);

}  // namespace stitch::tools
