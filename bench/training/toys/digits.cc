// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <optional>

#include "rl/advantage/filter.h"
#include "rl/advantage/group.h"
#include "toys/actor.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace digits_toy {

constexpr int kPrompts = 8;
constexpr int kDigits = 5;
constexpr int kLength = 4;
constexpr int kPrefixes = 1 + 5 + 25 + 125;
constexpr int kIterations = 120;
constexpr double kRate = 0.05;

using Targets = std::vector<std::array<int64_t, kLength>>;

// Prefixes in the order of a tree in breadth: the root is 0, the children of n are 5 n + 1 to 5 n + 5.
int64_t next_prefix(int64_t state, int64_t action) {
  const int64_t prompt = state / kPrefixes;
  const int64_t child = state % kPrefixes * kDigits + 1 + action;
  return child < kPrefixes ? prompt * kPrefixes + child : -1;
}

Targets drawn_targets(Stream& stream) {
  Targets targets(kPrompts);
  for (auto& target : targets) {
    for (int64_t& digit : target) {
      digit = stream.below(kDigits);
    }
  }
  return targets;
}

// As after some supervised training: each right digit, in its place, has probability one half.
void warm_start(Table& actor, const Targets& targets) {
  const at::NoGradGuard no_grad;
  for (int64_t prompt = 0; prompt < kPrompts; ++prompt) {
    int64_t state = prompt * kPrefixes;
    for (const int64_t digit : targets[static_cast<size_t>(prompt)]) {
      actor.values()[state][digit] = std::log(4.0);
      state = next_prefix(state, digit);
    }
  }
}

// Exact, no sample.
double success(const std::vector<std::vector<double>>& policy, const Targets& targets) {
  double sum = 0;
  for (int64_t prompt = 0; prompt < kPrompts; ++prompt) {
    double product = 1;
    int64_t state = prompt * kPrefixes;
    for (const int64_t digit : targets[static_cast<size_t>(prompt)]) {
      product *= policy[static_cast<size_t>(state)][static_cast<size_t>(digit)];
      state = next_prefix(state, digit);
    }
    sum += product / kPrompts;
  }
  return sum;
}

struct Arm {
  std::optional<rl::GroupBaseline> baseline;  // none: PPO
  train::PolicyLossOptions loss;
};

Arm arm_of(const std::string& name) {
  const train::AggregationOptions by_constant{.kind = train::Aggregation::kSumConst, .constant = kLength};
  if (name == "grpo") {
    return {rl::GroupBaseline::kGrpo, {.aggregation = {.kind = train::Aggregation::kSeqMeanTokenMean}}};
  }
  if (name == "rloo") {
    return {rl::GroupBaseline::kRloo, {.aggregation = by_constant}};
  }
  if (name == "gspo") {
    return {rl::GroupBaseline::kGrpo,
            {.ratio = train::Ratio::kSequence, .aggregation = {.kind = train::Aggregation::kSeqMeanTokenMean}}};
  }
  if (name == "cispo") {
    return {rl::GroupBaseline::kDrGrpo, {.clip = train::Clip::kCispo, .aggregation = by_constant}};
  }
  if (name == "ppo") {
    return {std::nullopt, {}};
  }
  return {rl::GroupBaseline::kDrGrpo, {.aggregation = by_constant}};
}

// The groups that differ within themselves, with their advantages.
std::pair<std::vector<Episode>, std::vector<double>> groups_of(const std::vector<Episode>& episodes,
                                                               rl::GroupBaseline baseline) {
  std::pair<std::vector<Episode>, std::vector<double>> kept;
  for (size_t at = 0; at < episodes.size(); at += kGroup) {
    std::vector<rl::JudgedSample> samples;
    std::vector<std::optional<double>> rewards;
    for (size_t i = at; i < at + kGroup; ++i) {
      samples.push_back({.reward = episodes[i].reward, .is_pass = episodes[i].reward > 0});
      rewards.emplace_back(episodes[i].reward);
    }
    if (rl::fate_of_group(samples, {}) != rl::GroupFate::kKept) {
      continue;
    }
    const auto advantages = rl::group_advantages(rewards, {.baseline = baseline});
    for (size_t i = 0; i < kGroup; ++i) {
      kept.first.push_back(episodes[at + i]);
      kept.second.push_back(*advantages[i]);
    }
  }
  return kept;
}

}  // namespace digits_toy

void run_digits(const std::string& name, uint64_t seed) {
  using namespace digits_toy;
  Stream stream(seed);
  const Targets targets = drawn_targets(stream);
  const Arm arm = arm_of(name);
  const Environment environment{.start = {},
                                .next = next_prefix,
                                .reward =
                                    [&](const Episode& episode) {
                                      const auto& target = targets[static_cast<size_t>(episode.states[0] / kPrefixes)];
                                      return std::equal(target.begin(), target.end(), episode.actions.begin()) ? 1 : 0;
                                    },
                                .max_steps = kLength};
  Table actor(kPrompts * kPrefixes, kDigits);
  Table critic(kPrompts * kPrefixes, 1);
  warm_start(actor, targets);
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    const auto policy = probabilities(actor);
    record("digits", name, seed, iteration, {{"success", success(policy, targets)}});
    std::vector<Episode> episodes;
    for (int64_t prompt = 0; prompt < kPrompts; ++prompt) {
      for (int i = 0; i < kGroup; ++i) {
        episodes.push_back(rollout(environment, policy, prompt * kPrefixes, stream));
      }
    }
    if (!arm.baseline.has_value()) {
      const Batch batch = batch_of(std::move(episodes));
      const Estimates estimates = estimates_of(critic, batch, {.lambda_actor = 0.95, .lambda_critic = 1});
      update_actor(actor, batch, estimates.advantages, arm.loss, kRate, 2);
      update_critic(critic, batch, estimates.targets, kRate, 2);
    } else if (auto [kept, advantages] = groups_of(episodes, *arm.baseline); !kept.empty()) {
      const Batch batch = batch_of(std::move(kept));
      update_actor(actor, batch, spread(batch, advantages), arm.loss, kRate, 2);
    }
  }
}

}  // namespace stitch::toys
