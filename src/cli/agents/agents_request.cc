// SPDX-License-Identifier: Apache-2.0
#include "cli/agents/agents_request.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "agents/ask/embedded_server.h"
#include "tools/requests/knowledge_places.h"

namespace stitch::cli {
namespace {

constexpr const char* kKeyVariable = "STITCHCUDA_LLM_KEY";
constexpr const char* kJudgeKeyVariable = "STITCHCUDA_JUDGE_KEY";

bool is_without(const AgentOptions& options, const char* part) {
  return std::find(options.without.begin(), options.without.end(), part) != options.without.end();
}

bool plays(const std::optional<Player>& player, bool otherwise) {
  return player.has_value() ? *player == Player::kModel || *player == Player::kReact : otherwise;
}

agents::CoderKind coder_kind_of(const AgentOptions& options) {
  if (options.coder == Player::kAcp) {
    return agents::CoderKind::kAcp;
  }
  const bool is_react = options.coder == Player::kReact || (options.system == AgentSystem::kReact && !options.coder);
  return is_react ? agents::CoderKind::kReact : agents::CoderKind::kAnswers;
}

// One session writes all steps, and nobody plans or reviews.
bool in_workspace(const AgentOptions& options) { return coder_kind_of(options) != agents::CoderKind::kAnswers; }

Result<void> check_workspace(const AgentOptions& options) {
  if (options.system == AgentSystem::kReact && !in_workspace(options)) {
    return failure(ErrorCode::kUsage, "--system react and --coder expert or llm exclude each other", "",
                   "leave --coder out");
  }
  if (options.writes_module && !in_workspace(options)) {
    return failure(ErrorCode::kUsage, "--answer module is for a Coder with tools", "",
                   "ask one with --coder react, or --coder acp --agent CMD");
  }
  if ((options.coder == Player::kAcp) != !options.agent.empty()) {
    return failure(ErrorCode::kUsage, "--coder acp and --agent CMD go together", "",
                   "name the agent that shall write, as --coder acp --agent 'CMD ...'");
  }
  return {};
}

// A run goes on without documents where there is no place for their index.
std::optional<knowledge::Places> documents_for(const driver::Resources& resources, Reporter& reporter) {
  Result<knowledge::Places> places = tools::find_knowledge_places(resources);
  if (!places.has_value()) {
    reporter.fact("agents", "no documents are looked up: " + places.error().message);
    return std::nullopt;
  }
  return std::move(*places);
}

}  // namespace

Result<agents::TeamRequest> team_request_of(const CommandLine& line) {
  const AgentOptions& options = line.agents;
  if (options.has_team && (!options.url.empty() || !options.model.empty())) {
    return failure(ErrorCode::kUsage, "--team and --llm or --model exclude each other", "",
                   "name the models of a team in stitchcuda.toml");
  }
  if (!options.checkpoint.empty() && (options.model != agents::kEmbedded || !options.url.empty())) {
    return failure(ErrorCode::kUsage, "--checkpoint is for --model embedded", "",
                   "write --model embedded and no --llm, or leave --checkpoint out");
  }
  STITCH_TRY(check_workspace(options));
  const bool named = !options.url.empty() || !options.model.empty() || options.has_team;
  const bool coder = plays(options.coder, named);
  const bool has_planner =
      options.system == AgentSystem::kStitch && !in_workspace(options) && !is_without(options, "planner");
  const bool has_verifier =
      !in_workspace(options) && (options.system == AgentSystem::kStitch || options.system == AgentSystem::kCoderJudge);
  agents::TeamRequest request{.config = line.config,
                              .team = line.team,
                              .url = options.url,
                              .model = options.model,
                              .checkpoint = options.checkpoint,
                              .compact = options.compact,
                              .planner = plays(options.planner, coder && has_planner),
                              .coder = coder,
                              .verifier = plays(options.verifier, coder && has_verifier),
                              .needs_prices = options.max_dollars.has_value()};
  const auto name = [&](const char* role, const std::optional<Player>& player) {
    if (player == Player::kModel) {
      request.named_roles.emplace_back(role);
    }
  };
  name("planner", options.planner);
  name("coder", options.coder);
  name("verifier", options.verifier);
  request.key_env = std::getenv(kKeyVariable) == nullptr ? "" : kKeyVariable;
  return request;
}

agents::Limits limits_of(const AgentOptions& options) {
  agents::Limits limits;
  if (options.system == AgentSystem::kSingleShot) {
    limits.rounds_per_sub_task = 1;
    limits.replans = 0;
  } else if (options.system != AgentSystem::kStitch) {
    limits.replans = 0;
  }
  if (in_workspace(options)) {  // what the session left, then what it had found right
    limits.rounds_per_sub_task = 2;
    limits.replans = 0;
  }
  limits.tokens = options.max_tokens;
  if (options.max_dollars.has_value()) {
    limits.microdollars = static_cast<int64_t>(std::floor(std::min(*options.max_dollars, 1e9) * 1e6));
  }
  limits.seconds = options.max_seconds;
  limits.rounds = options.rounds.value_or(limits.rounds);
  limits.rounds_per_sub_task = options.step_rounds.value_or(limits.rounds_per_sub_task);
  limits.repairs = options.repairs.value_or(limits.repairs);
  limits.replans = options.replans.value_or(limits.replans);
  return limits;
}

Result<agents::RunRequest> find_agents(const CommandLine& line, const driver::Resources& resources,
                                       Reporter& reporter) {
  STITCH_ASSIGN(const agents::TeamRequest team, team_request_of(line));
  agents::RunRequest request{.limits = limits_of(line.agents), .target_us = line.agents.target_us};
  if (const auto system = line.given.find("system"); system != line.given.end()) {
    request.system = system->second;
  }
  request.without = line.agents.without;
  request.rubric = resources.rubrics() / line.rubric;
  STITCH_ASSIGN(request.prompts, agents::Prompts::load(line.agents.prompts));
  request.parts = {.profiles = !is_without(line.agents, "profile"),
                   .remembers = line.agents.system != AgentSystem::kCoderJudge,
                   .marks = !is_without(line.agents, "rubric"),
                   .rubric = request.rubric};
  request.workspace.coder = coder_kind_of(line.agents);
  request.workspace.answer = line.agents.writes_module ? agents::AnswerForm::kModule : agents::AnswerForm::kSteps;
  request.workspace.turns = line.agents.turns.value_or(request.workspace.turns);
  request.workspace.agent = line.agents.agent;
  request.workspace.hidden_variables = {kKeyVariable, kJudgeKeyVariable};
  if (in_workspace(line.agents)) {
    request.parts.profiles = false;
  } else if (line.agents.system == AgentSystem::kStitch && !is_without(line.agents, "retrieval")) {
    request.parts.documents = documents_for(resources, reporter);
  }
  if (team.planner || team.coder || team.verifier) {
    STITCH_ASSIGN(request.team,
                  agents::find_team(team, [&reporter](const std::string& message) { reporter.fact("llm", message); }));
  }
  request.team.has_reviewer = !in_workspace(line.agents) && (line.agents.system == AgentSystem::kStitch ||
                                                             line.agents.system == AgentSystem::kCoderJudge);
  return request;
}

}  // namespace stitch::cli
