// SPDX-License-Identifier: Apache-2.0
// Of a run of agents, beside its record: who was asked, what was planned and tried, what it cost, and who wrote what.
// The member `agents` of `stitchcuda.run/2`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::runs {

// What was spent, or may be: a limit that is not there is null.
struct AgentsSpending {
  int64_t requests = 0;
  int64_t prompt_tokens = 0;
  int64_t answer_tokens = 0;
  bool is_estimated = false;  // some server did not say how many
  double dollars = 0;
  double gpu_seconds = 0;
  double seconds = 0;
};

struct AgentsLimits {
  std::optional<int64_t> tokens{};
  std::optional<double> dollars{};
  std::optional<double> gpu_seconds{};
  std::optional<double> seconds{};
  int64_t rounds = 0;  // of the run
  int64_t rounds_per_sub_task = 0;
  int64_t repairs = 0;
  int64_t replans = 0;
};

struct AgentsPlan {
  int64_t version = 1;
  std::string author{};   // "expert", or the model
  std::string trigger{};  // of a replan; else empty
  std::string summary{};
  std::vector<std::string> sub_tasks{};
};

struct AgentsTime {
  std::string kind{};  // "executed", "measured"
  double us = 0;
};

struct AgentsAttempt {
  int64_t number = 1;
  int64_t plan = 1;
  std::string sub_task{};
  std::string activity{};
  std::string outcome{};
  std::string digest{};  // of its text, in code/
  std::optional<AgentsTime> program{};
  bool replaced_incumbent = false;
};

struct StepWriter {
  std::string step{};
  std::string author{};
  int64_t attempt = 0;  // 0: the expert's
};

struct AgentsRecord {
  std::string system{};                          // "stitch"
  std::vector<std::string> without{};            // parts that were left out
  std::map<std::string, std::string> roles{};    // role to model, or "expert"
  std::map<std::string, std::string> prompts{};  // name to digest
  AgentsLimits limits{};
  AgentsSpending spent{};
  std::string activity{};   // "draft", "paused", "stopped"
  std::string sub_task{};   // the one under way
  std::string reason{};     // of the last decision
  std::string paused_by{};  // what the environment failed at; empty: it is not paused
  int64_t replans = 0;
  std::vector<AgentsPlan> plans{};
  std::vector<AgentsAttempt> attempts{};
  std::optional<AgentsTime> first{};      // of the expert's program
  std::optional<AgentsTime> incumbent{};  // of the best
  std::vector<StepWriter> writers{};      // of every step
};

Json to_json(const AgentsRecord& record);
// What is absent has its default; kFileInvalid for a member of another kind than we write.
Result<AgentsRecord> agents_record_from_json(const Json& json);

}  // namespace stitch::runs
