// SPDX-License-Identifier: Apache-2.0
// Which Coder works in a workspace, and by what rules.
#pragma once

#include <functional>
#include <memory>

#include "agents/ask/asker.h"
#include "agents/prompts/prompts.h"
#include "agents/run/team.h"
#include "agents/workspace/workspace_coder.h"

namespace stitch::agents {

enum class CoderKind {
  kAnswers,  // one answer a round
  kReact,    // a model of ours with tools
  kAcp,      // somebody else's agent
};

struct WorkspaceRules {
  CoderKind coder = CoderKind::kAnswers;
  AnswerForm answer = AnswerForm::kSteps;
  int64_t turns = 150;
  std::string agent{};                          // of kAcp: its command line
  std::vector<std::string> hidden_variables{};  // of our environment, from that agent
};

struct WorkspaceParts {
  const WorkspaceRules& rules;
  const TeamSeats& team;
  Asker& asker;
  const Prompts& prompts;
  Journal& journal;
  const std::filesystem::path& folder;  // of the run
  bool is_offline = false;
  std::function<void(const std::string&)> told{};
};

// Of kReact or kAcp. kUsage where no model is there to play it.
Result<std::unique_ptr<WorkspaceCoder>> workspace_coder(WorkspaceParts parts, driver::Workbench& workbench);

}  // namespace stitch::agents
