// SPDX-License-Identifier: Apache-2.0
// Which file of a workspace a sub-task is about.
#pragma once

#include <string>

#include "agents/bench/bench.h"

namespace stitch::agents {

struct OwnStep {
  std::string step{};       // "03_fc1_gelu", of which the sub-task has all nodes and no other, or "host"; empty: none
  std::string why_fixed{};  // why its file cannot be written anew; empty: it can
};

// Sessions write files of steps as the expert cut them, and choices for the host side; other groups of nodes are for
// Coders that answer.
OwnStep own_step_of(const Bench& bench, const SubTask& sub_task);

}  // namespace stitch::agents
