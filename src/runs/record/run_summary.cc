// SPDX-License-Identifier: Apache-2.0
#include "runs/record/run_summary.h"

#include <algorithm>

namespace stitch::runs {
namespace {

std::string models_of(const AgentsRecord& agents) {
  std::string names;
  for (const char* role : {"planner", "coder", "verifier"}) {
    const auto found = agents.roles.find(role);
    const bool is_model = found != agents.roles.end() && found->second != "none";
    if (is_model && (", " + names + ", ").find(", " + found->second + ", ") == std::string::npos) {
      names += (names.empty() ? "" : ", ") + found->second;
    }
  }
  return names;
}

}  // namespace

AgentsSummary summary_of(const AgentsRecord& agents) {
  AgentsSummary summary;
  summary.system = agents.system;
  summary.models = models_of(agents);
  summary.attempts = static_cast<int64_t>(agents.attempts.size());
  summary.steps = static_cast<int64_t>(agents.writers.size());
  summary.steps_by_others = std::count_if(agents.writers.begin(), agents.writers.end(),
                                          [](const StepWriter& each) { return each.attempt > 0; });
  summary.dollars = agents.spent.dollars;
  summary.tokens = agents.spent.prompt_tokens + agents.spent.answer_tokens;
  return summary;
}

RunSummary summary_of(const RunRecord& record) {
  RunSummary summary;
  summary.id = record.id;
  summary.verb = record.verb;
  summary.task = record.task;
  summary.out = record.out;
  summary.started = record.started;
  summary.state = record.state;
  summary.seconds = record.seconds;
  summary.stage = record.stage;
  summary.modelled_us = record.modelled_us;
  summary.measured_us = record.measured_us;
  summary.device = record.device;
  if (record.agents.has_value()) {
    summary.agents = summary_of(*record.agents);
  }
  return summary;
}

}  // namespace stitch::runs
