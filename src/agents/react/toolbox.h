// SPDX-License-Identifier: Apache-2.0
// What a session's model may call: the workspace's files and shell, which run here, and what compiles, checks,
// verifies, profiles and looks up, which runs in a process of its own on a copy that the workspace cannot reach.
#pragma once

#include <vector>

#include "agents/workspace/work_folder.h"
#include "base/process/stop.h"
#include "llm/chat/chat.h"
#include "tools/table/workspace_tools.h"

namespace stitch::agents {

inline constexpr const char* kFinish = "finish";

struct ToolboxRules {
  std::string device{};  // "gpu" or "emulated": where programs run if a call does not say so
  sandbox::CageMode cage = sandbox::CageMode::kCaged;
  std::string target{};  // of the task: the class or function of program.py, its mode and its math
  std::string mode{};
  std::string math{};
};

class Toolbox {
 public:
  Toolbox(WorkFolder& folder, ToolboxRules rules);

  // As a model is told of them; finish is the last.
  std::vector<llm::Tool> tools() const;
  // Whether a call of it may change files.
  bool writes(const std::string& tool) const;
  // Whether a call that is done has drawn the program in the judged copy anew.
  static bool draws(const std::string& tool) { return tool == "group"; }
  // What can be mended by whoever called is a reply; an Error is this machine's.
  Result<tools::ToolReply> call(const std::string& tool, const Json& arguments);
  // Ends what runs in the background; how many that were.
  size_t end_all() { return room_.end_all(); }

 private:
  Result<tools::ToolReply> call_outside(const std::string& tool, Json arguments);
  const tools::Tool* find(const std::string& tool) const;

  WorkFolder& folder_;
  ToolboxRules rules_;
  tools::ShellRoom room_;
  tools::ToolTable inside_;
  tools::ToolTable outside_;
  Stop stop_;
};

}  // namespace stitch::agents
