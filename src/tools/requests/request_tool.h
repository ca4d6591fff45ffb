// SPDX-License-Identifier: Apache-2.0
// A tool that is a specification and a function.
#pragma once

#include "tools/spec/tool.h"

namespace stitch::tools {

using RunRequest = Result<ToolReply> (*)(const Json& arguments, ToolContext& context);

std::unique_ptr<Tool> request_tool(ToolSpec spec, RunRequest run);

}  // namespace stitch::tools
