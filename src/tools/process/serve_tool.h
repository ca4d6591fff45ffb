// SPDX-License-Identifier: Apache-2.0
// The inside of stitchcuda-tool: one call of a tool, asked and answered in lines of JSON (tool_process.h).
#pragma once

namespace stitch::tools {

// Reads one request from the channel, runs it, answers. 0, or 1 where nothing was asked that can be answered.
int serve_tool(int channel);

}  // namespace stitch::tools
