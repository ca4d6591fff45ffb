// SPDX-License-Identifier: Apache-2.0
// The roles by a model: a prompt is filled, an answer read with suspicion, and sent back with sentences where it may
// be.
#pragma once

#include "agents/ask/asker.h"
#include "agents/prompts/prompts.h"
#include "agents/roles/roles.h"

namespace stitch::agents {

// What the roles of a run share; it outlives them.
struct Desk {
  Asker& asker;
  const Prompts& prompts;
};

// Where a role sits: the desk, and its model.
class Seated {
 public:
  Seated(Desk desk, Seat seat) : desk_(desk), seat_(std::move(seat)) {}

 protected:
  Desk desk_;
  Seat seat_;
};

// A plan that is refused three times, or that the budget has no room for, is the expert's.
class ModelPlanner : public Planner, private Seated {
 public:
  using Seated::Seated;
  Result<Done> plan(const State& state, const Material& material) override;
};

class ModelCoder : public Coder, private Seated {
 public:
  using Seated::Seated;
  Result<Done> write(const State& state, const Material& material) override;
};

// Feedback that is refused three times, or that the budget has no room for, is the expert's.
class ModelVerifier : public Verifier, private Seated {
 public:
  using Seated::Seated;
  Result<Done> advise(const State& state, const Material& material) override;
};

}  // namespace stitch::agents
