// SPDX-License-Identifier: Apache-2.0
// Files of endpoints and teams to what is made of them. `given` names a team.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "llm/config/config.h"

namespace stitch::llm {
namespace {

std::string shown(const Endpoint& endpoint) {
  Json exchange = to_json(Exchange{.url = endpoint.url,
                                   .key = endpoint.key,
                                   .body = "{}",
                                   .limits = endpoint.limits,
                                   .retries = endpoint.retries,
                                   .pool = endpoint.pool});
  exchange.erase("body");
  return fmt::format("endpoint {}: {}\n", endpoint.name, exchange.dump());
}

std::string shown(const Member& member) {
  const auto number = [](const auto& value) { return value.has_value() ? fmt::format("{}", *value) : "-"; };
  const Sampling& sampling = member.sampling;
  return fmt::format("  {}: {} at {}, temperature {}, top_p {}, seed {}, {} tokens{}{}\n", member.role, member.model,
                     member.endpoint, number(sampling.temperature), number(sampling.top_p), number(sampling.seed),
                     sampling.max_tokens, sampling.wants_tokens ? ", their numbers" : "",
                     sampling.wants_log_probs ? ", log-probabilities" : "");
}

std::string run_case(const testing::CaseFile& one) {
  const Result<Config> config = config_from_toml(one.input, "f.toml", "/home/me");
  if (!config.has_value()) {
    return fmt::format("{}: {}", config.error().location, config.error().message);
  }
  std::string text;
  for (const Endpoint& endpoint : config->endpoints) {
    text += shown(endpoint);
  }
  const Result<Team> team = team_named(*config, one.given.substr(0, one.given.find('\n')));
  if (!team.has_value()) {
    return text + team.error().message;
  }
  text += fmt::format("team {}\n", team->name);
  for (const Member& member : team->members) {
    text += shown(member);
    EXPECT_EQ(endpoint_of(*config, member).name, member.endpoint);
  }
  for (const Price& price : config->prices) {
    text +=
        fmt::format("price of {}: {} {} {} on {}\n", price.model, price.prompt, price.cached, price.answer, price.date);
  }
  const Result<void> priced = check_prices(*config, *team);
  return text + (priced.has_value() ? "all priced\n" : priced.error().message + "\n");
}

class ConfigCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ConfigCase, ComesToWhatIsExpected) { EXPECT_EQ(testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, ConfigCase,
                         ::testing::ValuesIn(testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                 "/src/llm/testdata/config")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

TEST(ConfigPath, IsNeverTheFolderThatWeWorkIn) {
  EXPECT_EQ(config_path("a.toml"), "a.toml");
  EXPECT_TRUE(config_path("").is_absolute()) << config_path("");
}

}  // namespace
}  // namespace stitch::llm
