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

// A plan that is refused three times, or that the budget has no room for, is the expert's.
class ModelPlanner : public Planner {
 public:
  ModelPlanner(Desk desk, Seat seat) : desk_(desk), seat_(std::move(seat)) {}
  Result<Done> plan(const State& state, const Material& material) override;

 private:
  Desk desk_;
  Seat seat_;
};

class ModelCoder : public Coder {
 public:
  ModelCoder(Desk desk, Seat seat) : desk_(desk), seat_(std::move(seat)) {}
  Result<Done> write(const State& state, const Material& material) override;

 private:
  Desk desk_;
  Seat seat_;
};

// Feedback that is refused three times, or that the budget has no room for, is the expert's.
class ModelVerifier : public Verifier {
 public:
  ModelVerifier(Desk desk, Seat seat) : desk_(desk), seat_(std::move(seat)) {}
  Result<Done> advise(const State& state, const Material& material) override;

 private:
  Desk desk_;
  Seat seat_;
};

}  // namespace stitch::agents
