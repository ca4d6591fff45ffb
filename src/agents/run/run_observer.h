// SPDX-License-Identifier: Apache-2.0
// Who watches a run of the agents: a live view, the run's record.
#pragma once

#include <string>

#include "agents/routing/event.h"

namespace stitch::agents {

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The state that the run begins with, or began with: its incumbent is the expert's program.
  virtual void begins(const State& initial) = 0;
  // What it waits for now, and the event that led there; nullptr where it begins or goes on.
  virtual void reached(const State& state, const Event* event) = 0;
  // A line of what a Coder does in its workspace meanwhile: a call of a tool, how its session ended.
  virtual void session_said(const std::string& line) = 0;
};

}  // namespace stitch::agents
