// SPDX-License-Identifier: Apache-2.0
// Options of a run whose steps agents may write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace stitch::cli {

struct CommandLine;

// Who plays a role. The last two are Coders in a workspace: a model with tools, and somebody else's agent.
enum class Player { kExpert, kModel, kReact, kAcp };
// How roles work together: the papers' baselines, and ours.
enum class AgentSystem { kSingleShot, kSelfRefine, kCoderJudge, kReact, kStitch, kExpert };

struct AgentOptions {
  std::optional<Player> planner;  // nothing: a model where the team has one
  std::optional<Player> coder;
  std::optional<Player> verifier;
  std::string url;              // --llm
  std::string model;            // --model
  std::string checkpoint;       // --model embedded: weights; empty: where they are looked for
  std::string prompts;          // a folder; empty: those that are built in
  std::optional<bool> compact;  // --prompts compact or full; nothing: by the model's context
  AgentSystem system = AgentSystem::kStitch;
  std::vector<std::string> without;  // "planner", "profile", "retrieval", "rubric"
  std::optional<int64_t> max_tokens;
  std::optional<double> max_dollars;
  std::optional<double> max_seconds;
  std::optional<int64_t> rounds;       // of the run
  std::optional<int64_t> step_rounds;  // of a sub-task
  std::optional<int64_t> repairs;
  std::optional<int64_t> replans;
  std::optional<int64_t> turns;  // of a session in a workspace
  std::string agent;             // --agent
  bool writes_module = false;    // --answer module
  std::optional<double> target_us;
  bool has_team = false;  // --team was given

  // A model plays at least one role, or the expert shall play all of them in the loop.
  bool are_asked() const {
    const bool named = !url.empty() || !model.empty() || !checkpoint.empty() || has_team;
    return system != AgentSystem::kExpert &&
           (named || planner.has_value() || coder.has_value() || verifier.has_value());
  }
};

// --llm, --model, --team, --config, --prompts
void add_models(CLI::App* verb, CommandLine* line);
// All of them but the program's own.
void add_agents(CLI::App* verb, CommandLine* line);

}  // namespace stitch::cli
