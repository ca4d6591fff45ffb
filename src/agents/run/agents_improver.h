// SPDX-License-Identifier: Apache-2.0
// The agents as who betters a verified program: what `optimize --coder llm` asks.
#pragma once

#include <optional>

#include "agents/prompts/prompts.h"
#include "agents/run/loop.h"
#include "agents/run/run_observer.h"
#include "agents/run/team.h"
#include "agents/run/workspace_roles.h"
#include "driver/improve/improver.h"

namespace stitch::agents {

struct RunRequest {
  std::filesystem::path folder{};      // of the run: its journal, code and what was told
  std::string system = "stitch";       // how roles work together, by name
  std::vector<std::string> without{};  // parts of it that were left out, by name
  std::filesystem::path rubric{};      // by whose version attempts are marked
  Limits limits{};
  std::optional<double> target_us{};
  TeamSeats team{};
  Prompts prompts{};
  LoopParts parts{};
  WorkspaceRules workspace{};
  bool is_offline = false;  // a replay: only what the journal holds is answered
};

class AgentsImprover : public driver::Improver {
 public:
  // `observer` outlives it.
  AgentsImprover(RunRequest request, RunObserver& observer) : request_(std::move(request)), observer_(observer) {}

  // kEnvironment with what the run waits for where it was paused; what it has is kept.
  Result<driver::Improvement> improve(driver::Workbench& workbench) override;
  // As it ended; nothing before.
  const std::optional<State>& state() const { return state_; }

 private:
  RunRequest request_;
  RunObserver& observer_;
  std::optional<State> state_;
};

}  // namespace stitch::agents
