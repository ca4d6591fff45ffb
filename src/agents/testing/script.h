// SPDX-License-Identifier: Apache-2.0
// Runs of the agents written down, for tests: an event a line.
//
//   task target_us=90 floor_us=50          expert us=100          limits rounds_per_sub_task=3
//   planned attention:floor=20 mlp         written s1 s2          spent tokens=500
//   tested right step=50 program=90 [measured=2]    profiled s1=60 s2=40    retrieved    advised [doubt]
//   round wrong ...                        written, tested, profiled where it is right, retrieved and advised
#pragma once

#include <string>
#include <vector>

#include "agents/state/state.h"

namespace stitch::agents {

// The state in which such a script ends, and what was refused on the way, a line each.
struct Played {
  State state;
  std::string refused;
};
Played play(const std::string& script);

// A line a decision: "plan, planned -> next_sub_task: the plan is taken".
std::string decisions_as_text(const State& state);

}  // namespace stitch::agents
