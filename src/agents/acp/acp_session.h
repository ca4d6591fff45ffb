// SPDX-License-Identifier: Apache-2.0
// A session of somebody else's agent in a workspace, by the Agent Client Protocol (version 1): we are its client, and
// offer it files of the workspace and our own tools by `stitchcuda mcp`. What it leaves is judged like any other work.
#pragma once

#include <functional>

#include "agents/prompts/prompts.h"
#include "agents/workspace/session.h"

namespace stitch::agents {

struct AcpRules {
  std::string command{};              // of the agent, for /bin/sh
  std::vector<std::string> hidden{};  // variables of our environment that it does not get
  double whole_s = 3600;              // at most; less where the run's limit on seconds says so
  double answer_s = 120;              // for what is no work: to begin, and to end when it is told to
  double silence_s = 900;
};

class AcpSession : public Session {
 public:
  AcpSession(const Prompts& prompts, AcpRules rules, std::function<void(const std::string&)> told)
      : prompts_(prompts), rules_(std::move(rules)), told_(std::move(told)) {}

  // An agent that dies, falls silent or talks nonsense is a sentence in the result, never an Error.
  Result<SessionEnd> run(const State& state, const Material& material, WorkFolder& folder) override;

 private:
  const Prompts& prompts_;
  AcpRules rules_;
  std::function<void(const std::string&)> told_;
};

}  // namespace stitch::agents
