// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/process/environment.h"
#include "base/text/edit_distance.h"
#include "llm/config/config.h"

namespace stitch::llm {
namespace {

constexpr double kMaxSeconds = 1e6;
constexpr int64_t kMaxAtOnce = 10'000;
constexpr int64_t kMaxAMinute = 1'000'000'000;
constexpr size_t kMaxDistance = 3;

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  const auto distance = [&](const std::string& each) { return edit_distance(word, each); };
  const auto found = std::min_element(known.begin(), known.end(),
                                      [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return found != known.end() && distance(*found) <= kMaxDistance ? fmt::format(" (did you mean {}?)", *found) : "";
}

// One file's reading: keeps the first problem, with its line.
class Reader {
 public:
  explicit Reader(const std::string& home) : home_(home) {}

  Config read(const toml::table& root);
  const std::string& problem() const { return problem_; }
  int64_t line() const { return line_; }

 private:
  void refuse(const toml::source_region& where, const std::string& why) {
    if (problem_.empty()) {
      problem_ = why;
      line_ = where.begin.line;
    }
  }
  // The tables of one, by name: [endpoint.NAME]
  template <typename Read>
  void each_table(const toml::node& node, const std::string& what, const Read& read);
  void check_known(const toml::table& table, const std::string& what, const std::vector<std::string>& known);
  void take(const toml::table& table, const char* key, std::string& into);
  void take(const toml::table& table, const char* key, int64_t& into, int64_t least, int64_t greatest);
  void take(const toml::table& table, const char* key, bool& into);
  std::optional<double> number(const toml::table& table, const char* key, double least, double greatest);
  void take_seconds(const toml::table& table, const char* key, int64_t& into_ms);
  Price price(const std::string& model, const toml::table& table);
  Endpoint endpoint(const std::string& name, const toml::table& table);
  Team team(const std::string& name, const toml::table& table, const Config& config);
  Member member(const std::string& role, const toml::table& table, const Config& config);

  const std::string& home_;
  std::string problem_;
  int64_t line_ = 0;
};

void Reader::check_known(const toml::table& table, const std::string& what, const std::vector<std::string>& known) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(key.source(), fmt::format("{} has no \"{}\"{}", what, name, nearest(name, known)));
    }
  }
}

template <typename Read>
void Reader::each_table(const toml::node& node, const std::string& what, const Read& read) {
  if (!node.is_table()) {
    return refuse(node.source(), fmt::format("\"{}\" is no table", what));
  }
  for (const auto& [key, value] : *node.as_table()) {
    const std::string name(key.str());
    if (const toml::table* table = value.as_table(); table != nullptr) {
      read(name, *table);
    } else {
      refuse(key.source(), fmt::format("{}.{} is no table", what, name));
    }
  }
}

void Reader::take(const toml::table& table, const char* key, std::string& into) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return;
  }
  const auto* text = node->as_string();
  if (text == nullptr || text->get().empty()) {
    return refuse(node->source(), fmt::format("{} is no text", key));
  }
  into = text->get();
}

void Reader::take(const toml::table& table, const char* key, int64_t& into, int64_t least, int64_t greatest) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return;
  }
  const auto* whole = node->as_integer();
  if (whole == nullptr || whole->get() < least || whole->get() > greatest) {
    return refuse(node->source(), fmt::format("{} is no whole number from {} to {}", key, least, greatest));
  }
  into = whole->get();
}

void Reader::take(const toml::table& table, const char* key, bool& into) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return;
  }
  const auto* choice = node->as_boolean();
  if (choice == nullptr) {
    return refuse(node->source(), fmt::format("{} is neither true nor false", key));
  }
  into = choice->get();
}

std::optional<double> Reader::number(const toml::table& table, const char* key, double least, double greatest) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  const std::optional<double> value = node->value<double>();
  if (!value.has_value() || !(*value >= least && *value <= greatest)) {
    refuse(node->source(), fmt::format("{} is no number from {} to {}", key, least, greatest));
    return std::nullopt;
  }
  return value;
}

void Reader::take_seconds(const toml::table& table, const char* key, int64_t& into_ms) {
  if (const std::optional<double> seconds = number(table, key, 0.001, kMaxSeconds); seconds.has_value()) {
    into_ms = static_cast<int64_t>(std::llround(*seconds * 1000));
  }
}

Endpoint Reader::endpoint(const std::string& name, const toml::table& table) {
  Endpoint endpoint{.name = name};
  const std::string what = "endpoint." + name;
  for (const char* secret : {"key", "api_key"}) {
    if (const toml::node* node = table.get(secret); node != nullptr) {
      refuse(node->source(), "keys do not stand in this file: name a variable (key_env) or a file (key_file)");
    }
  }
  check_known(table, what,
              {"url", "key_env", "key_file", "connect_seconds", "first_token_seconds", "silence_seconds",
               "whole_seconds", "max_bytes", "retries", "concurrency", "requests_per_minute", "tokens_per_minute"});
  take(table, "url", endpoint.url);
  if (endpoint.url.empty()) {
    refuse(table.source(), what + " has no url");
  } else if (const Result<void> good = check_url(endpoint.url); !good.has_value()) {
    refuse(table.source(), fmt::format("{}: {}", what, good.error().message));
  }
  take(table, "key_env", endpoint.key.environment);
  take(table, "key_file", endpoint.key.file);
  if (!endpoint.key.environment.empty() && !endpoint.key.file.empty()) {
    refuse(table.source(), what + " has a key_env and a key_file");
  }
  if (!endpoint.key.environment.empty() && !names_secret(endpoint.key.environment)) {
    refuse(table.source(),
           fmt::format("{}: any program that is started would be handed the variable {}: let key_env name one that "
                       "ends in {}",
                       what, endpoint.key.environment, kSecretNames));
  }
  if (endpoint.key.file.starts_with("~/")) {
    endpoint.key.file = home_ + endpoint.key.file.substr(1);
  }
  take_seconds(table, "connect_seconds", endpoint.limits.connect_ms);
  take_seconds(table, "first_token_seconds", endpoint.limits.first_token_ms);
  take_seconds(table, "silence_seconds", endpoint.limits.silence_ms);
  take_seconds(table, "whole_seconds", endpoint.limits.whole_ms);
  take(table, "max_bytes", endpoint.limits.max_bytes, 1, int64_t{1} << 40);
  take(table, "retries", endpoint.retries, 0, 100);
  PoolLimits& pool = endpoint.pool.limits;
  take(table, "concurrency", pool.concurrency, 1, kMaxAtOnce);
  take(table, "requests_per_minute", pool.requests_per_minute, 1, kMaxAMinute);
  take(table, "tokens_per_minute", pool.tokens_per_minute, 1, kMaxAMinute);
  return endpoint;
}

Price Reader::price(const std::string& model, const toml::table& table) {
  constexpr double kMaxDollars = 1e6;
  Price price{.model = model};
  const std::string what = "price." + model;
  check_known(table, what, {"prompt", "cached", "answer", "date"});
  const std::optional<double> prompt = number(table, "prompt", 0, kMaxDollars);
  const std::optional<double> answer = number(table, "answer", 0, kMaxDollars);
  if (!prompt.has_value() || !answer.has_value() || !table.contains("date")) {
    refuse(table.source(), what + " lacks its prompt, its answer or its date");
    return price;
  }
  price.prompt = *prompt;
  price.answer = *answer;
  price.cached = number(table, "cached", 0, *prompt).value_or(*prompt);
  take(table, "date", price.date);
  return price;
}

Member Reader::member(const std::string& role, const toml::table& table, const Config& config) {
  Member member{.role = role};
  check_known(table, role,
              {"endpoint", "model", "temperature", "top_p", "seed", "max_tokens", "token_ids", "log_probs", "context",
               "compact"});
  take(table, "endpoint", member.endpoint);
  take(table, "model", member.model);
  if (member.model.empty()) {
    refuse(table.source(), role + " has no model");
  }
  std::vector<std::string> names;
  for (const Endpoint& each : config.endpoints) {
    names.push_back(each.name);
  }
  if (std::find(names.begin(), names.end(), member.endpoint) == names.end()) {
    refuse(table.source(), member.endpoint.empty() ? role + " has no endpoint"
                                                   : fmt::format("there is no endpoint \"{}\"{}", member.endpoint,
                                                                 nearest(member.endpoint, names)));
  }
  member.sampling.temperature = number(table, "temperature", 0, 2);
  member.sampling.top_p = number(table, "top_p", 0, 1);
  take(table, "max_tokens", member.sampling.max_tokens, 1, 10'000'000);
  take(table, "context", member.context, 1, 1'000'000'000);
  if (table.contains("compact")) {
    take(table, "compact", member.compact.emplace());
  }
  take(table, "token_ids", member.sampling.wants_tokens);
  take(table, "log_probs", member.sampling.wants_log_probs);
  if (table.contains("seed")) {
    take(table, "seed", member.sampling.seed.emplace(), 0, int64_t{1} << 53);
  }
  return member;
}

Team Reader::team(const std::string& name, const toml::table& table, const Config& config) {
  Team team{.name = name};
  if (table.empty()) {
    refuse(table.source(), fmt::format("team.{} has no roles", name));
  }
  check_known(table, "team." + name, {kTeamRoles.begin(), kTeamRoles.end()});
  each_table(table, "team." + name, [&](const std::string& role, const toml::table& played) {
    team.members.push_back(member(role, played, config));
  });
  std::stable_sort(team.members.begin(), team.members.end(), [](const Member& a, const Member& b) {
    const auto place = [](const Member& each) { return std::find(kTeamRoles.begin(), kTeamRoles.end(), each.role); };
    return place(a) < place(b);
  });
  return team;
}

Config Reader::read(const toml::table& root) {
  Config config;
  check_known(root, "the file", {"endpoint", "team", "price"});
  if (const toml::node* endpoints = root.get("endpoint"); endpoints != nullptr) {
    each_table(*endpoints, "endpoint", [&](const std::string& name, const toml::table& table) {
      config.endpoints.push_back(endpoint(name, table));
    });
  }
  if (const toml::node* prices = root.get("price"); prices != nullptr) {
    each_table(*prices, "price", [&](const std::string& model, const toml::table& table) {
      config.prices.push_back(price(model, table));
    });
  }
  if (const toml::node* teams = root.get("team"); teams != nullptr) {
    each_table(*teams, "team", [&](const std::string& name, const toml::table& table) {
      config.teams.push_back(team(name, table, config));
    });
  }
  return config;
}

Unexpected refused(const std::string& why, const std::string& path, int64_t line) {
  return failure(ErrorCode::kFileInvalid, why, fmt::format("{}:{}", path, line), "docs/endpoints.md shows the file");
}

}  // namespace

Result<Config> config_from_toml(std::string_view text, const std::string& path, const std::string& home) {
  const toml::parse_result parsed = toml::parse(text, std::string_view(path));
  if (parsed.failed()) {
    const toml::parse_error& error = parsed.error();
    return refused(fmt::format("it is no TOML: {}", error.description()), path, error.source().begin.line);
  }
  Reader reader(home);
  Config config = reader.read(parsed.table());
  if (!reader.problem().empty()) {
    return refused(reader.problem(), path, reader.line());
  }
  return config;
}

}  // namespace stitch::llm
