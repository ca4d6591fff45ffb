// SPDX-License-Identifier: Apache-2.0
// One model in a loop of thought, call and result (ReAct), in a workspace. Each answer and each result is kept in the
// journal before anything follows from it: told again, the session is the same without asking or running anything.
#pragma once

#include <functional>

#include "agents/react/toolbox.h"
#include "agents/roles/model_roles.h"
#include "agents/workspace/session.h"

namespace stitch::agents {

struct ReactRules {
  int64_t turns = 150;
  ToolboxRules tools{};
  bool is_offline = false;
};

// By what else than its program a session is known.
std::string name_of_session(const ReactRules& rules, const Seat& seat, const Prompts& prompts);

class ReactSession : public Session {
 public:
  // `told` gets a line a call.
  ReactSession(Desk desk, Seat seat, Journal& journal, ReactRules rules, std::function<void(const std::string&)> told)
      : desk_(desk), seat_(std::move(seat)), journal_(journal), rules_(std::move(rules)), told_(std::move(told)) {}

  Result<SessionEnd> run(const State& state, const Material& material, WorkFolder& folder) override;

 private:
  Desk desk_;
  Seat seat_;
  Journal& journal_;
  ReactRules rules_;
  std::function<void(const std::string&)> told_;
};

}  // namespace stitch::agents
