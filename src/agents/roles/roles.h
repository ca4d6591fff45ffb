// SPDX-License-Identifier: Apache-2.0
// Planner, Coder and Verifier: each by rule (expert_roles.h) or by a model (model_roles.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agents/bench/bench.h"
#include "agents/routing/event.h"
#include "base/error/result.h"

namespace stitch::agents {

// What a role did: the event for routing, and what the state does not hold of it.
struct Done {
  EventBody body;
  std::vector<Spending> spent{};
  std::string code{};  // of Written
};

// What a role may look at beside the state.
struct Material {
  const Bench& bench;
  bool remembers = true;             // what was tried before the latest attempt
  std::string last_code{};           // of the latest attempt at the sub-task; empty: none
  std::string told{};                // of the latest attempt
  std::vector<StepFacts> profile{};  // of the latest attempt, where it is right
  std::string documents{};           // what they say about the latest attempt
  std::string marks{};               // low ones of the latest attempt, where it is right and they may be told
};

class Planner {
 public:
  virtual ~Planner() = default;
  // Planned; in replan PlanKept, too. kEnvironment and the like where its model cannot be asked.
  virtual Result<Done> plan(const State& state, const Material& material) = 0;
};

class Coder {
 public:
  virtual ~Coder() = default;
  // Written, Declined or Unreadable; Planned, once in a run, where it drew groups of nodes of its own.
  virtual Result<Done> write(const State& state, const Material& material) = 0;
};

class Verifier {
 public:
  virtual ~Verifier() = default;
  // Advised.
  virtual Result<Done> advise(const State& state, const Material& material) = 0;
};

struct Roles {
  std::unique_ptr<Planner> planner;
  std::unique_ptr<Coder> coder;
  std::unique_ptr<Verifier> verifier;
};

}  // namespace stitch::agents
