// SPDX-License-Identifier: Apache-2.0
// The one way to call a tool: its name looked up, arguments checked, failures told apart, its reply cut to size.
#pragma once

#include "tools/table/tool_table.h"

namespace stitch::tools {

// Whatever the caller can mend is a reply that is marked as a mistake; an Error is this machine's.
Result<ToolReply> run_tool(const ToolTable& table, const std::string& name, const Json& arguments,
                           ToolContext& context);

// The mistake in calling `name` so; nothing where there is none.
std::optional<ToolReply> mistake_in_call(const ToolTable& table, const std::string& name, const Json& arguments);

}  // namespace stitch::tools
