// SPDX-License-Identifier: Apache-2.0
// One call of a tool in a process of its own (stitchcuda-tool): it can be ended at any moment with all that it started,
// a fault of ours in it ends that call alone, and whatever it prints is printed nowhere.
//   asked     {"tool", "arguments", "settings"}       one line on the child's descriptor 3
//   progress  {"progress": "sentence"}                any number, before the answer
//   answer    {"ok": {"outcome", "text", "facts"}}   or   {"error": {"code", "sentence", "place", "remedy"}}
#pragma once

#include <functional>
#include <string>

#include "base/process/stop.h"
#include "tools/spec/tool.h"

namespace stitch::tools {

using TellProgress = std::function<void(const std::string& sentence)>;

// kInterrupted after the stop's wish: then the child and its children are gone and their folders removed. The child
// dies with the thread that calls this.
Result<ToolReply> run_in_process(const std::string& tool, const Json& arguments, const ToolSettings& settings,
                                 const TellProgress& tell, const Stop& stop);

}  // namespace stitch::tools
