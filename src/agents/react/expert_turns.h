// SPDX-License-Identifier: Apache-2.0
// What the expert would call next: it reads the steps that take longest, writes each with its next setting, compiles
// and checks it, takes back what fails, verifies all of it and hands in.
#pragma once

#include <string>
#include <vector>

#include "agents/workspace/session.h"
#include "tools/spec/tool.h"

namespace stitch::agents {

class ExpertTurns {
 public:
  ExpertTurns(const State& state, const Material& material, const Pristine& pristine);

  // One action as text (llm/chat/actions.h).
  std::string next() const;
  // Of each call that was made, in turn.
  void learn(const std::string& tool, tools::Outcome outcome);

 private:
  enum class Phase { kRead, kWrite, kCompile, kCheck, kTakeBack, kVerify, kFinish };
  struct Target {
    SubTask sub_task;
    std::string path;
  };
  bool is_at_host() const;
  std::string text_to_write() const;
  Phase after_failure();
  Phase after_target();

  const Bench& bench_;
  std::vector<Target> targets_;
  size_t target_ = 0;
  int tries_ = 0;
  Phase phase_ = Phase::kRead;
};

}  // namespace stitch::agents
