// SPDX-License-Identifier: Apache-2.0
#include "agents/react/toolbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/job/unwatched.h"
#include "tools/arguments/schema.h"
#include "tools/process/tool_process.h"
#include "tools/spec/tool_text.h"
#include "tools/table/run_tool.h"

namespace stitch::agents {
namespace {

constexpr std::array kOutside = {"group", "compile", "check", "verify", "profile", "docs"};

Json finish_schema() {
  return tools::object_schema({tools::content_property("summary", "What was changed, and what it gained.")}, {});
}

llm::Tool told(const std::string& name, const Json& schema) {
  return {.name = name, .description = tools::text_of_tool(name).description, .schema = schema.dump()};
}

}  // namespace

Toolbox::Toolbox(WorkFolder& folder, ToolboxRules rules)
    : folder_(folder),
      rules_(std::move(rules)),
      room_({.folder = folder.root(), .cage = rules_.cage}),
      inside_(tools::workspace_tools(room_)),
      outside_(tools::builtin_tools()) {}

std::vector<llm::Tool> Toolbox::tools() const {
  std::vector<llm::Tool> tools;
  for (const auto& tool : inside_.tools()) {
    tools.push_back(told(tool->spec().name, tool->spec().schema));
  }
  for (const char* name : kOutside) {
    tools.push_back(told(name, outside_.find(name)->spec().schema));
  }
  tools.push_back(told(kFinish, finish_schema()));
  return tools;
}

const tools::Tool* Toolbox::find(const std::string& tool) const {
  if (const tools::Tool* inside = inside_.find(tool); inside != nullptr) {
    return inside;
  }
  const bool is_outside = std::find(kOutside.begin(), kOutside.end(), tool) != kOutside.end();
  return is_outside ? outside_.find(tool) : nullptr;
}

bool Toolbox::writes(const std::string& tool) const {
  const tools::Tool* found = inside_.find(tool);
  return found != nullptr && found->spec().effects.writes;
}

Result<tools::ToolReply> Toolbox::call_outside(const std::string& tool, Json arguments) {
  if (outside_.find(tool)->spec().schema["properties"].contains("device") && !arguments.contains("device")) {
    arguments["device"] = rules_.device;
  }
  if (tool == "verify" && arguments.contains("candidate")) {  // the task is the run's, whatever the call says
    arguments["program"] = rules_.target.empty() ? "program.py" : "program.py:" + rules_.target;
    arguments["mode"] = rules_.mode;
    arguments["math"] = rules_.math;
  }
  if (std::optional<tools::ToolReply> wrong = tools::mistake_in_call(outside_, tool, arguments)) {
    return std::move(*wrong);
  }
  STITCH_ASSIGN(const std::filesystem::path copy, folder_.judged_copy());
  const tools::ToolSettings settings{.root = copy, .is_confined = true, .cage = rules_.cage};
  return tools::run_in_process(tool, arguments, settings, [](const std::string&) {}, stop_);
}

Result<tools::ToolReply> Toolbox::call(const std::string& tool, const Json& arguments) {
  if (inside_.find(tool) == nullptr && find(tool) != nullptr) {
    return call_outside(tool, arguments);
  }
  driver::Unwatched nobody;  // the tools on files and in the shell need nothing of the driver
  const driver::Services services{driver::Resources{}, nobody};
  tools::ToolContext context{{.root = folder_.root(), .is_confined = true, .cage = rules_.cage}, services};
  return tools::run_tool(inside_, tool, arguments, context);
}

}  // namespace stitch::agents
