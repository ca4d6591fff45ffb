// SPDX-License-Identifier: Apache-2.0
// What a client is told of the tools.
#pragma once

#include "mcp/protocol/version.h"
#include "tools/table/tool_table.h"

namespace stitch::mcp {

// The tool that every session has beside those of the table: it waits for calls that take long.
tools::ToolSpec job_spec(int64_t max_wait_seconds);

// `tools/list`
Json list_tools(const tools::ToolTable& table, const tools::ToolSpec& job, ProtocolVersion version);

}  // namespace stitch::mcp
