// SPDX-License-Identifier: Apache-2.0
// The expert as Verifier: what a failure or a profile comes to by rule, in the form that a model's answer has.
#pragma once

#include <string>
#include <vector>

#include "agents/state/state.h"

namespace stitch::agents {

// One step of a right program, as it was timed or counted.
struct StepFacts {
  std::string step;
  double us = 0;
  double floor_us = 0;  // 0: not known
  Limiter limiter = Limiter::kMemory;
  std::string kind{};   // its skeleton; empty: not known
  std::string dtype{};  // of its result; empty: not known
};

// The figures that feedback on such a profile may quote: of the step that takes longest its time, floor and part of the
// whole, and how many steps there are.
std::vector<Figure> figures_of(const std::vector<StepFacts>& steps);

// Of a failure: `message` is its first error, as fingerprint() tells it.
Feedback expert_feedback(Outcome outcome, const std::string& message);
// Of a profile with at least one step.
Feedback expert_feedback(const std::vector<StepFacts>& steps);

}  // namespace stitch::agents
