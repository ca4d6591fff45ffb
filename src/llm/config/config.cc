// SPDX-License-Identifier: Apache-2.0
#include "llm/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/fs/files.h"
#include "base/fs/state_folder.h"
#include "base/hash/sha256.h"

namespace stitch::llm {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Those who ask the same address with the same key share it, however each names it.
Result<std::string> pool_folder(const Endpoint& endpoint) {
  STITCH_ASSIGN(const std::filesystem::path state, state_folder());
  Sha256 hash;
  hash.update_field(endpoint.url);
  hash.update_field(endpoint.key.environment);
  hash.update_field(endpoint.key.file);
  return (std::filesystem::absolute(state) / "endpoints" / hash.finish().substr(0, 16)).string();
}

}  // namespace

std::filesystem::path config_path(const std::string& named) {
  if (!named.empty()) {
    return named;
  }
  if (const std::string path = variable("STITCHCUDA_CONFIG"); !path.empty()) {
    return path;
  }
  const std::string folder = variable("XDG_CONFIG_HOME");
  return (folder.empty() ? std::filesystem::path(variable("HOME")) / ".config" : std::filesystem::path(folder)) /
         "stitchcuda" / "stitchcuda.toml";
}

Result<Config> read_config(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text.has_value()) {
    return failure(ErrorCode::kEnvironment, "there is no file of endpoints and teams", path.string(),
                   "write one as docs/endpoints.md shows, or name it with --config or STITCHCUDA_CONFIG");
  }
  STITCH_ASSIGN(Config config, config_from_toml(*text, path.string(), variable("HOME")));
  for (Endpoint& endpoint : config.endpoints) {
    if (endpoint.pool.limits.are_set()) {
      STITCH_ASSIGN(endpoint.pool.folder, pool_folder(endpoint));
    }
  }
  return config;
}

Exchange exchange_with(const Endpoint& endpoint) {
  return {.url = endpoint.url,
          .key = endpoint.key,
          .limits = endpoint.limits,
          .retries = endpoint.retries,
          .pool = endpoint.pool};
}

Result<Team> team_named(const Config& config, const std::string& name) {
  std::string names;
  for (const Team& team : config.teams) {
    const bool is_only = name.empty() && config.teams.size() == 1;
    if (is_only || team.name == (name.empty() ? "default" : name)) {
      return team;
    }
    names += (names.empty() ? "" : ", ") + team.name;
  }
  const std::string there = names.empty() ? "there is none" : "there are " + names;
  return failure(ErrorCode::kUsage, name.empty() ? fmt::format("no team is called default; {}", there)
                                                 : fmt::format("there is no team \"{}\"; {}", name, there));
}

const Price* price_of(const Config& config, const std::string& model) {
  const auto found =
      std::find_if(config.prices.begin(), config.prices.end(), [&](const Price& each) { return each.model == model; });
  return found == config.prices.end() ? nullptr : &*found;
}

Result<void> check_prices(const Config& config, const Team& team) {
  std::set<std::string> unknown;
  for (const Member& member : team.members) {
    if (price_of(config, member.model) == nullptr) {
      unknown.insert(member.model);
    }
  }
  return unknown.empty() ? Result<void>()
                         : failure(ErrorCode::kUsage,
                                   fmt::format("a limit on money needs the price of every model; not known: {}",
                                               fmt::join(unknown, ", ")),
                                   "", "add [price.\"MODEL\"] as docs/endpoints.md shows");
}

const Endpoint& endpoint_of(const Config& config, const Member& member) {
  const auto found = std::find_if(config.endpoints.begin(), config.endpoints.end(),
                                  [&](const Endpoint& each) { return each.name == member.endpoint; });
  STITCH_CHECK(found != config.endpoints.end()) << "no endpoint " << member.endpoint;
  return *found;
}

}  // namespace stitch::llm
