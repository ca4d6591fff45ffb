// SPDX-License-Identifier: Apache-2.0
// stitchcuda.toml: which endpoints there are, and which model of which plays each role of a team. It holds no keys.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "llm/chat/chat.h"
#include "llm/exchange/exchange.h"
#include "llm/price/price.h"

namespace stitch::llm {

inline constexpr std::array kTeamRoles = {"planner", "coder", "verifier", "judge"};

struct Endpoint {
  std::string name{};
  std::string url{};
  KeySource key{};
  TransferLimits limits{};
  int64_t retries = 5;
  PoolUse pool{};  // its folder is found where the file is read
};

struct Member {
  std::string role{};
  std::string endpoint{};
  std::string model{};
  Sampling sampling{};
  int64_t context = 0;            // tokens that the model takes; 0: not said
  std::optional<bool> compact{};  // prompts for a short context; nothing: by `context`
};

// A role that no member plays is the expert's.
struct Team {
  std::string name{};
  std::vector<Member> members{};
};

struct Config {
  std::vector<Endpoint> endpoints{};
  std::vector<Team> teams{};
  std::vector<Price> prices{};
};

// kFileInvalid with the line, and with what was probably meant, for anything that is not known. `home` takes the place
// of a leading ~ of a key's file.
Result<Config> config_from_toml(std::string_view text, const std::string& path, const std::string& home);

// `named`, else STITCHCUDA_CONFIG, else stitchcuda/stitchcuda.toml below XDG_CONFIG_HOME or ~/.config. Never the folder
// that we work in: the file of somebody's repository would say where keys are sent.
std::filesystem::path config_path(const std::string& named);
Result<Config> read_config(const std::filesystem::path& path);

// The team of that name; of no name the one called "default", or the only one. kUsage where there is none.
Result<Team> team_named(const Config& config, const std::string& name);
// nullptr where the file says no price of it.
const Price* price_of(const Config& config, const std::string& model);
// kUsage with the models of `team` whose price is not known: a limit on money would not hold.
Result<void> check_prices(const Config& config, const Team& team);
// A request to it, without its body.
Exchange exchange_with(const Endpoint& endpoint);
// The endpoint of a member, which the reader has seen to be there.
const Endpoint& endpoint_of(const Config& config, const Member& member);

}  // namespace stitch::llm
