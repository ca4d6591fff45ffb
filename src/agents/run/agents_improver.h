// SPDX-License-Identifier: Apache-2.0
// The agents as who betters a verified program: what `optimize --coder llm` asks.
#pragma once

#include <functional>
#include <optional>

#include "agents/prompts/prompts.h"
#include "agents/run/loop.h"
#include "agents/run/team.h"
#include "driver/improve/improver.h"

namespace stitch::agents {

struct RunRequest {
  std::filesystem::path folder{};  // of the run: its journal, code and what was told
  Limits limits{};
  std::optional<double> target_us{};
  TeamSeats team{};
  Prompts prompts{};
  LoopParts parts{};
  bool is_offline = false;  // a replay: only what the journal holds is answered
};

class AgentsImprover : public driver::Improver {
 public:
  // `told` gets a line a decision.
  AgentsImprover(RunRequest request, std::function<void(const std::string&)> told)
      : request_(std::move(request)), told_(std::move(told)) {}

  // kEnvironment with what the run waits for where it was paused; what it has is kept.
  Result<driver::Improvement> improve(driver::Workbench& workbench) override;
  // As it ended; nothing before.
  const std::optional<State>& state() const { return state_; }

 private:
  RunRequest request_;
  std::function<void(const std::string&)> told_;
  std::optional<State> state_;
};

}  // namespace stitch::agents
