// SPDX-License-Identifier: Apache-2.0
// The host side of a functor: making it, and proving that lanes may be used.
#pragma once

#include <string>
#include <vector>

#include "kernels/lowering/lower_functor.h"

namespace stitch::kernels {

// `const HiddenEpilogue epilogue{...};`, added to the step's launch statements; the functor is added to its functors.
void construct(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable);

struct LaneUser {
  const LoweredFunctor* functor = nullptr;
  std::string variable;
};
// Adds `const bool vectorised = ...;`, the conditions for lanes along `extent` (an expression) of those functors that
// take them (the variable's name ends in `suffix`), and returns what to pass for it: the variable's name, or "false"
// when none does.
Expr prove_vectorised(StepBuilder& step, const Expr& extent, const std::vector<LaneUser>& users,
                      const std::string& suffix = {});

}  // namespace stitch::kernels
