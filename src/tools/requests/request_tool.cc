// SPDX-License-Identifier: Apache-2.0
#include "tools/requests/request_tool.h"

namespace stitch::tools {
namespace {

class RequestTool final : public Tool {
 public:
  RequestTool(ToolSpec spec, RunRequest run) : spec_(std::move(spec)), run_(run) {}
  const ToolSpec& spec() const override { return spec_; }
  Result<ToolReply> run(const Json& arguments, ToolContext& context) const override { return run_(arguments, context); }

 private:
  ToolSpec spec_;
  RunRequest run_;
};

}  // namespace

std::unique_ptr<Tool> request_tool(ToolSpec spec, RunRequest run) {
  return std::make_unique<RequestTool>(std::move(spec), run);
}

}  // namespace stitch::tools
