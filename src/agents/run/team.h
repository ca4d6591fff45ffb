// SPDX-License-Identifier: Apache-2.0
// Who plays which role of a run, found out before it begins.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/ask/asker.h"
#include "agents/ask/model.h"
#include "agents/prompts/prompts.h"
#include "agents/roles/roles.h"
#include "llm/config/config.h"

namespace stitch::agents {

// A role without a seat is the expert's.
struct TeamSeats {
  std::optional<Seat> planner{};
  std::optional<Seat> coder{};
  std::optional<Seat> verifier{};
  bool has_reviewer = true;  // else nobody advises the Coder, by rule or by a model
};

// Who is asked for what: a team of the file, one endpoint and model for all, our own decoder, or the expert by rule.
struct TeamRequest {
  std::string config{};           // stitchcuda.toml; empty: where it is looked for
  std::string team{};             // of it
  std::string url{};              // --llm
  std::string model{};            // --model
  std::string checkpoint{};       // of --model embedded; empty: where it is looked for
  std::string key_env{};          // of --llm
  std::optional<bool> compact{};  // which prompts its Coder is told; nothing: by its context
  bool planner = true;            // whether a model plays it; else the expert
  bool coder = true;
  bool verifier = true;
  std::vector<std::string> named_roles{};  // that a model is to play, or nobody: the team must have them
  bool needs_prices = false;               // there is a limit on money
};

// Asks each model once whether it answers and what its endpoint can. kUsage for a team or a model that cannot be meant,
// kEnvironment for a key that is missing, a model that is not known, a server that cannot be reached.
Result<TeamSeats> find_team(const TeamRequest& request, std::function<void(const std::string&)> told);

// Of each role its model, or "expert"; "none" of a reviewer that is not there.
std::map<std::string, std::string> models_of(const TeamSeats& team);

// The names of the models, "small" or "large, small"; "expert" where there are none.
std::string name_of(const TeamSeats& team);

Roles roles_of(const TeamSeats& team, Asker& asker, const Prompts& prompts);

}  // namespace stitch::agents
