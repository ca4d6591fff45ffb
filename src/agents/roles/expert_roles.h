// SPDX-License-Identifier: Apache-2.0
// The roles by rule: no model, no network, the same answer each time.
#pragma once

#include "agents/roles/roles.h"

namespace stitch::agents {

// The expert's steps, what takes longest first; it has no second plan.
class ExpertPlanner : public Planner {
 public:
  Result<Done> plan(const State& state, const Material& material) override;
};

// One sub-task, a module in the program's place.
class ModulePlanner : public Planner {
 public:
  Result<Done> plan(const State& state, const Material& material) override;
};

// Its code is the incumbent's from the beginning, so that it has none to add.
class ExpertCoder : public Coder {
 public:
  Result<Done> write(const State& state, const Material& material) override;
};

class ExpertVerifier : public Verifier {
 public:
  Result<Done> advise(const State& state, const Material& material) override;
};

// Says nothing: the Coder is left with what compilers and checks told.
class SilentVerifier : public Verifier {
 public:
  Result<Done> advise(const State& state, const Material& material) override;
};

// What the expert makes of the latest attempt; nothing of a right one without a profile.
Feedback expert_advice(const State& state, const Material& material);
// The best that the expert offers and nobody has tried yet; nothing when it has no more. `is_bare`: without comments.
std::optional<std::string> expert_text(const State& state, const Material& material, bool is_bare = false);
// A right text that is slower on purpose and that nobody has tried yet: naive kernels, single elements, a worse
// setting. Which one follows from `number`; nothing where there is none.
std::optional<std::string> slow_expert_text(const State& state, const Material& material, uint32_t number,
                                            bool is_bare = false);

}  // namespace stitch::agents
