// SPDX-License-Identifier: Apache-2.0
#include "cli/options/agent_options.h"

#include <CLI/App.hpp>
#include <limits>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"

namespace stitch::cli {
namespace {

constexpr const char* kRolesGroup = "Agents";
constexpr const char* kLimitGroup = "Agents' limits";

void add_player(CLI::App* verb, const char* name, const std::vector<std::string>& players,
                std::optional<Player>* player, const char* text) {
  add_choice(
      verb, name, players, [player](size_t chosen) { *player = static_cast<Player>(chosen); }, text)
      ->group(kRolesGroup);
}

// A folder of such a name is "./compact".
void take_prompts(const std::string& word, AgentOptions& agents) {
  if (word == "compact" || word == "full") {
    agents.compact = word == "compact";
  } else {
    agents.prompts = word;
  }
}

template <typename T>
void add_limit(CLI::App* verb, const char* name, std::optional<T>* limit, const char* unit, const char* text, T least) {
  verb->add_option(name, *limit, text)
      ->check(CLI::Range(least, std::numeric_limits<T>::max()))
      ->type_name(unit)
      ->group(kLimitGroup);
}

}  // namespace

void add_models(CLI::App* verb, CommandLine* line) {
  AgentOptions& agents = line->agents;
  verb->add_option("--llm", agents.url, "A server of chat completions for all roles; its key: STITCHCUDA_LLM_KEY")
      ->type_name("URL")
      ->group(kRolesGroup);
  verb->add_option("--model", agents.model,
                   "The model there; without --llm embedded, our own decoder, or expert, which answers by rule "
                   "(expert:faults=0.3 with mistakes)")
      ->type_name("NAME")
      ->group(kRolesGroup);
  verb->add_option("--checkpoint", agents.checkpoint,
                   "With --model embedded: a GGUF file, a model's folder or a checkpoint of `train` (default: "
                   "embedded-model in the folder of state)")
      ->type_name("PATH")
      ->group(kRolesGroup);
  verb->add_option_function<std::string>(
          "--team",
          [line](const std::string& name) {
            line->team = name;
            line->agents.has_team = true;
          },
          "The team of stitchcuda.toml whose models play the roles")
      ->type_name("NAME")
      ->group(kRolesGroup);
  verb->add_option("--config", line->config,
                   "Endpoints and teams (default: $STITCHCUDA_CONFIG, else ~/.config/stitchcuda/stitchcuda.toml)")
      ->type_name("FILE.toml")
      ->group(kRolesGroup);
  verb->add_option_function<std::string>(
          "--prompts", [&agents](const std::string& word) { take_prompts(word, agents); },
          "Texts that take the place of built-in prompts of the same names, or which of these: compact (for contexts "
          "of "
          "8,192 tokens) or full")
      ->type_name("DIR|compact|full")
      ->group(kRolesGroup);
}

void add_agents(CLI::App* verb, CommandLine* line) {
  AgentOptions& agents = line->agents;
  add_player(verb, "--coder", {"expert", "llm", "react", "acp"}, &agents.coder,
             "Who writes steps (default: llm where a model is named, else expert)");
  add_player(verb, "--planner", {"expert", "llm"}, &agents.planner, "Who plans (default: as --coder)");
  add_player(verb, "--verifier", {"expert", "llm"}, &agents.verifier, "Who reviews (default: as --coder)");
  add_models(verb, line);
  verb->add_option("--agent", agents.agent,
                   "With --coder acp: the agent's command, which speaks the Agent Client Protocol")
      ->type_name("CMD")
      ->group(kRolesGroup);
  add_choice(
      verb, "--answer", {"steps", "module"}, [&agents](size_t chosen) { agents.writes_module = chosen == 1; },
      "What --coder react or acp hands in: the program's steps (default), or a class ModelNew in one file")
      ->group(kRolesGroup);
  add_choice(
      verb, "--system", {"single-shot", "self-refine", "coder-judge", "react", "stitch", "expert"},
      [&agents](size_t chosen) { agents.system = static_cast<AgentSystem>(chosen); },
      "How roles work together (default: stitch)")
      ->group(kRolesGroup);
  verb->add_option("--without", agents.without, "Leave a part of the system out: planner, profile, retrieval, rubric")
      ->check(CLI::IsMember({"planner", "profile", "retrieval", "rubric"}))
      ->type_name("PART")
      ->delimiter(',')
      ->group(kRolesGroup);
  add_limit<int64_t>(verb, "--max-tokens", &agents.max_tokens, "COUNT", "Of all requests together", 1);
  add_limit<double>(verb, "--max-cost", &agents.max_dollars, "DOLLARS", "Likewise; needs prices in stitchcuda.toml", 0);
  add_limit<double>(verb, "--max-seconds", &agents.max_seconds, "SECONDS", "No round begins after it", 0);
  add_limit<int64_t>(verb, "--max-rounds", &agents.rounds, "COUNT", "Of the run (default: 200)", 1);
  add_limit<int64_t>(verb, "--step-rounds", &agents.step_rounds, "COUNT", "Of a sub-task (default: 10)", 1);
  add_limit<int64_t>(verb, "--repairs", &agents.repairs, "COUNT", "In a row before the incumbent stays (default: 3)",
                     0);
  add_limit<int64_t>(verb, "--replans", &agents.replans, "COUNT", "Of the run (default: 2)", 0);
  add_limit<int64_t>(verb, "--turns", &agents.turns, "COUNT", "Of a Coder with tools (--coder react; default: 150)", 1);
  add_limit<double>(verb, "--target-us", &agents.target_us, "US", "The run ends once a call is this fast", 0);
}

}  // namespace stitch::cli
