// SPDX-License-Identifier: Apache-2.0
// What a list of runs has of each: the part of a record that the index keeps beside the folders.
#pragma once

#include <optional>
#include <string>

#include "runs/record/run_record.h"

namespace stitch::runs {

// Of a run of agents.
struct AgentsSummary {
  std::string system{};
  std::string models{};  // of planner, coder and verifier, each once: "large, small"
  int64_t attempts = 0;
  int64_t steps = 0;
  int64_t steps_by_others = 0;  // than the expert
  double dollars = 0;
  int64_t tokens = 0;
};

struct RunSummary {
  std::string id{};
  std::string verb{};
  std::string task{};
  std::string out{};
  std::string started{};  // "2026-11-21T13:04:55Z"
  RunState state = RunState::kRunning;
  double seconds = 0;
  std::string stage{};
  std::optional<double> modelled_us{};
  std::optional<double> measured_us{};
  std::string device{};
  std::optional<AgentsSummary> agents{};
};

AgentsSummary summary_of(const AgentsRecord& agents);
RunSummary summary_of(const RunRecord& record);

}  // namespace stitch::runs
