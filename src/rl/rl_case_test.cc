// SPDX-License-Identifier: Apache-2.0
// One JSON object a line to what the function named by `run` makes of it. tests/rl/test_reference.py computes the
// same in Python, from the formulas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/json/json.h"
#include "base/testing/case_file.h"
#include "rl/advantage/filter.h"
#include "rl/advantage/group.h"
#include "rl/advantage/turns.h"
#include "rl/correction/divergence.h"
#include "rl/correction/importance.h"
#include "rl/correction/mismatch.h"
#include "rl/schedule/learning_rate.h"
#include "rl/schedule/overlong.h"
#include "rl/selection/keep.h"
#include "rl/value/fit.h"
#include "rl/value/gae.h"
#include "rl/value/moments.h"

namespace stitch::rl {
namespace {

double number(const Json& json) {
  if (json.is_string()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return json == "inf" ? infinity : json == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
  }
  return json.get<double>();
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> result;
  for (const Json& one : json) {
    result.push_back(number(one));
  }
  return result;
}

std::vector<std::optional<double>> rewards_of(const Json& json) {
  std::vector<std::optional<double>> result;
  for (const Json& one : json) {
    result.push_back(one.is_null() ? std::optional<double>() : number(one));
  }
  return result;
}

std::vector<uint8_t> mask_of(const Json& json) { return json.get<std::vector<uint8_t>>(); }

std::string shown(double x) { return fmt::format("{:.12g}", x == 0 ? 0.0 : x); }

std::string shown(const std::optional<double>& x) { return x.has_value() ? shown(*x) : "none"; }

template <typename Values>
std::string list_of(const Values& values) {
  std::string text;
  for (const auto& one : values) {
    text += (text.empty() ? "" : " ") + shown(one);
  }
  return text;
}

std::string run_group(const Json& line) {
  const auto baseline = group_baseline_from_string(line["baseline"]);
  if (!baseline.has_value()) {
    return baseline.error().message;
  }
  return list_of(
      group_advantages(rewards_of(line["rewards"]), {.baseline = *baseline, .std_eps = line.value("std_eps", 1e-6)}));
}

std::string run_turns(const Json& line) {
  std::vector<std::optional<std::vector<double>>> returns;
  for (const Json& sample : line["rewards"]) {
    returns.push_back(sample.is_null() ? std::optional<std::vector<double>>()
                                       : returns_to_go(numbers(sample), line.value("gamma", 1.0)));
  }
  std::string text;
  for (const auto& sample : trloo(returns)) {
    text += (text.empty() ? "" : " | ") + (sample.has_value() ? list_of(*sample) : "none");
  }
  return text;
}

std::string run_filter(const Json& line) {
  std::vector<std::vector<JudgedSample>> groups;
  for (const Json& group : line["groups"]) {
    groups.emplace_back();
    for (const Json& sample : group) {
      groups.back().push_back({.reward = rewards_of(Json::array({sample[0]}))[0], .is_pass = sample[1].get<bool>()});
    }
  }
  const FilterOptions options{.is_zero_variance_dropped = line.value("drop", true)};
  const FilteredGroups filtered = filter_groups(groups, options);
  const FilterCounts& counts = filtered.counts;
  std::string text;
  for (const auto& group : groups) {
    text += fmt::format("{} ", to_string(fate_of_group(group, options)));
  }
  return text +
         fmt::format("| kept {} too_few {} all_fail {} all_pass {} all_equal {} | {} of {} samples without verdict",
                     counts.kept, counts.too_few_verdicts, counts.all_fail, counts.all_pass, counts.all_equal,
                     counts.samples_without_verdict, counts.samples);
}

std::string run_gae(const Json& line) {
  const std::vector<double> rewards = numbers(line["rewards"]);
  const std::vector<double> values = numbers(line["values"]);
  const std::vector<uint8_t> mask = mask_of(line["mask"]);
  GaeOptions options{.gamma = line.value("gamma", 1.0),
                     .lambda_actor = line.value("lam_actor", 0.95),
                     .lambda_critic = line.value("lam_critic", 1.0)};
  if (line.contains("lam_adaptive_alpha")) {
    options.adaptive_alpha = line["lam_adaptive_alpha"].get<double>();
  }
  const Gae result =
      gae({.rewards = rewards, .values = values, .is_model_token = mask, .value_after = line.value("value_after", 0.0)},
          options);
  return list_of(result.advantages) + " | " + list_of(result.targets);
}

std::string run_whiten(const Json& line) {
  const std::vector<double> values = numbers(line["values"]);
  const std::vector<uint8_t> mask = mask_of(line["mask"]);
  return list_of(whitened(values, mask, moments_of(values, mask), line.value("eps", 1e-8)));
}

std::string run_fit(const Json& line) {
  const ValueFit fit = value_fit(numbers(line["returns"]), numbers(line["values"]), mask_of(line["mask"]));
  return fmt::format("explained {} bias {} mean {} tokens {} gate at 0 {}", shown(fit.explained_variance),
                     shown(fit.bias), shown(fit.mean_return), fit.tokens, is_gate_open(fit, 0.0) ? "open" : "shut");
}

std::string run_kl(const Json& line) {
  const double logp = number(line["logp"]);
  const double reference = number(line["ref"]);
  return fmt::format("{} {} {}", shown(kl_k1(logp, reference)), shown(kl_k2(logp, reference)),
                     shown(kl_k3(logp, reference)));
}

std::string run_kl_placement(const Json& line) {
  const auto placement = kl_placement_from_string(line["kl"]);
  return placement.has_value() ? "taken" : placement.error().message + "; " + placement.error().remedy;
}

std::string run_importance(const Json& line) {
  const auto correction = importance_correction_from_string(line["is"]);
  if (!correction.has_value()) {
    return correction.error().message;
  }
  const ImportanceWeights result =
      importance_weights(numbers(line["old"]), numbers(line["sampler"]), mask_of(line["mask"]),
                         {.correction = *correction,
                          .cap = line.value("cap", 2.0),
                          .geometric_low = line.value("low", 0.99),
                          .geometric_high = line.value("high", 1.01)});
  return fmt::format("{} | truncated {}{}", list_of(result.weights), result.truncated,
                     result.is_dropped ? " dropped" : "");
}

std::string run_mismatch(const Json& line) {
  std::vector<std::vector<double>> old;
  std::vector<std::vector<double>> sampler;
  std::vector<std::vector<uint8_t>> masks;
  for (const Json& one : line["sequences"]) {
    old.push_back(numbers(one["old"]));
    sampler.push_back(numbers(one["sampler"]));
    masks.push_back(mask_of(one["mask"]));
  }
  std::vector<LogProbPair> pairs;
  for (size_t i = 0; i < old.size(); ++i) {
    pairs.push_back({.old_logp = old[i], .sampler_logp = sampler[i], .mask = masks[i]});
  }
  const Mismatch found = mismatch_of(pairs);
  return fmt::format("{} tokens {} sequences, mean {} p99 {} max {} k3 {} | std {} max {} share {} | {}", found.tokens,
                     found.sequences, shown(found.mean_abs), shown(found.p99_abs), shown(found.max_abs),
                     shown(found.k3), shown(found.sequence_std), shown(found.sequence_max_abs),
                     shown(found.effective_share), advice(found));
}

std::string run_learning_rate(const Json& line) {
  const auto decay = decay_from_string(line["decay"]);
  if (!decay.has_value()) {
    return decay.error().message;
  }
  const LearningRateSchedule schedule{.peak = line["peak"].get<double>(),
                                      .decay = *decay,
                                      .warmup_steps = line.value("warmup", 0),
                                      .total_steps = line.value("total", 0),
                                      .final_share = line.value("final", 0.0)};
  std::vector<double> rates;
  for (const Json& step : line["steps"]) {
    rates.push_back(learning_rate(schedule, step.get<int64_t>()));
  }
  return list_of(rates);
}

std::string run_overlong(const Json& line) {
  std::vector<double> penalties;
  for (const Json& tokens : line["tokens"]) {
    penalties.push_back(
        overlong_penalty(tokens.get<int64_t>(), line["max"].get<int64_t>(), line["buffer"].get<int64_t>()));
  }
  return list_of(penalties);
}

// An answer is [group, prompt, reward, flags, digest]; flags: p passed, h a hack, t truncated.
std::string run_keep(const Json& line) {
  std::vector<SampledAnswer> answers;
  for (const Json& one : line["answers"]) {
    const std::string flags = one[3].get<std::string>();
    answers.push_back({.group = one[0].get<size_t>(),
                       .prompt = one[1].get<size_t>(),
                       .reward = rewards_of(Json::array({one[2]}))[0],
                       .is_pass = flags.find('p') != std::string::npos,
                       .is_hack = flags.find('h') != std::string::npos,
                       .is_truncated = flags.find('t') != std::string::npos,
                       .digest = one[4].get<std::string>()});
  }
  const auto rule = keep_rule_from_string(line.value("rule", "right"));
  if (!rule.has_value()) {
    return "no such rule";
  }
  KeepOptions options{.rule = *rule,
                      .per_prompt = line.value("per_prompt", int64_t{0}),
                      .is_zero_variance_dropped = line.value("drop", false),
                      .is_truncated_kept = line.value("truncated", false)};
  if (line.contains("threshold")) {
    options.threshold = number(line["threshold"]);
  }
  const KeptAnswers kept = keep_answers(answers, options);
  const KeepCounts& counts = kept.counts;
  std::string places;
  for (const size_t place : kept.places) {
    places += std::to_string(place) + " ";
  }
  return fmt::format("{}| unjudged {} dropped {} hack {} truncated {} below {} same {} beyond {} kept {}", places,
                     counts.unjudged, counts.in_dropped_group, counts.hack, counts.truncated, counts.below, counts.same,
                     counts.beyond, counts.kept);
}

using Function = std::string (*)(const Json&);

Function function_of(const std::string& name) {
  const std::pair<const char*, Function> all[] = {{"group", run_group},
                                                  {"turns", run_turns},
                                                  {"filter", run_filter},
                                                  {"gae", run_gae},
                                                  {"whiten", run_whiten},
                                                  {"fit", run_fit},
                                                  {"kl", run_kl},
                                                  {"kl_placement", run_kl_placement},
                                                  {"importance", run_importance},
                                                  {"mismatch", run_mismatch},
                                                  {"learning_rate", run_learning_rate},
                                                  {"overlong", run_overlong},
                                                  {"keep", run_keep}};
  for (const auto& [key, function] : all) {
    if (name == key) {
      return function;
    }
  }
  return nullptr;
}

std::string run_case(const stitch::testing::CaseFile& one) {
  const Function function = function_of(one.run);
  if (function == nullptr) {
    return "no function is called " + one.run + "\n";
  }
  std::istringstream lines(one.input);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const auto json = parse_json(line, "a line");
    text += (json.has_value() ? function(*json) : "refused: " + json.error().message) + "\n";
  }
  return text;
}

class RlCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(RlCase, GivesWhatIsExpected) { EXPECT_EQ(stitch::testing::differences(GetParam(), run_case), ""); }

INSTANTIATE_TEST_SUITE_P(All, RlCase,
                         ::testing::ValuesIn(stitch::testing::case_files(std::string(STITCH_SOURCE_DIR) +
                                                                         "/src/rl/testdata")),
                         [](const auto& parameter) { return parameter.param.stem().string(); });

}  // namespace
}  // namespace stitch::rl
