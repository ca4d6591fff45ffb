// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <optional>

#include "rl/advantage/group.h"
#include "rubric/rewards/reward.h"
#include "toys/actor.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace settings_toy {

constexpr double kRate = 0.03;

double reward_of(const rubric::RewardTimes& times, const std::string& arm) {
  if (arm == "raw_speedup") {
    return times.eager_us / times.candidate_us;
  }
  const rubric::RewardFacts facts{.verdict = VerdictKind::kOk, .times = times, .marks = 16};
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    if (arm == profile.name) {
      return profile.compute(facts).value.value_or(0);
    }
  }
  return 0;
}

// One update of a policy with one decision, from groups of the tasks. `time_us` is what a clock says, by task and
// action.
void update(Table& actor, int64_t tasks, const std::function<rubric::RewardTimes(int64_t task, int64_t action)>& timed,
            const std::string& arm, Stream& stream) {
  const auto policy = probabilities(actor);
  std::vector<Episode> episodes;
  std::vector<double> advantages;
  for (int64_t task = 0; task < tasks; ++task) {
    std::vector<std::optional<double>> rewards;
    for (int i = 0; i < kGroup; ++i) {
      const int64_t action = stream.choice(policy[0]);
      rewards.emplace_back(reward_of(timed(task, action), arm));
      episodes.push_back({.states = {0}, .actions = {action}, .reward = *rewards.back()});
    }
    for (const auto& one : rl::group_advantages(rewards, {.baseline = rl::GroupBaseline::kDrGrpo})) {
      advantages.push_back(*one);
    }
  }
  const Batch batch = batch_of(std::move(episodes));
  update_actor(actor, batch, spread(batch, advantages), {}, kRate, 1);
}

double noise(Stream& stream) { return 1 + 0.005 * stream.normal(); }

}  // namespace settings_toy

// One task: eager 100 us, torch.compile 95 us, floor 20 us, and settings that are all more than 5 % faster than both.
void run_settings(const std::string& arm, uint64_t seed) {
  using namespace settings_toy;
  constexpr std::array kTimes = {80.0, 70.0, 60.0, 50.0, 40.0, 30.0, 25.0, 22.0};
  Stream stream(seed);
  Table actor(1, kTimes.size());
  for (int iteration = 0; iteration <= 300; ++iteration) {
    const auto policy = probabilities(actor);
    double log_ratio = 0;
    for (size_t i = 0; i < kTimes.size(); ++i) {
      log_ratio += policy[0][i] * std::log(kTimes[i] / kTimes.back());
    }
    record("settings", arm, seed, iteration, {{"time_over_best", std::exp(log_ratio)}});
    update(
        actor, 1,
        [&](int64_t, int64_t action) {
          return rubric::RewardTimes{.candidate_us = kTimes[static_cast<size_t>(action)] * noise(stream),
                                     .eager_us = 100,
                                     .compiled_us = 95,
                                     .floor_us = 20};
        },
        arm, stream);
  }
}

// Four tasks share one decision. The first is easy (its reference wastes 50 times the floor), three are near theirs.
// Technique 0 serves the easy one, 1 the other three, and 2 nobody, but one of its times in a hundred is a glitch.
void run_techniques(const std::string& arm, uint64_t seed) {
  using namespace settings_toy;
  constexpr double kEasy[] = {5, 60, 90};
  constexpr double kHard[] = {92, 55, 90};
  Stream stream(seed);
  Table actor(1, 3);
  for (int iteration = 0; iteration <= 300; ++iteration) {
    const auto policy = probabilities(actor);
    double geomean = 0;
    for (size_t i = 0; i < 3; ++i) {
      geomean += policy[0][i] * (std::log(100 / kEasy[i]) + 3 * std::log(100 / kHard[i])) / 4;
    }
    record("techniques", arm, seed, iteration,
           {{"easy", policy[0][0]}, {"hard", policy[0][1]}, {"glitch", policy[0][2]}, {"geomean", std::exp(geomean)}});
    update(
        actor, 4,
        [&](int64_t task, int64_t action) {
          const double honest_us = (task == 0 ? kEasy : kHard)[action] * noise(stream);
          const bool is_glitch = action == 2 && stream.uniform() < 0.01;
          const double floor_us = task == 0 ? 2 : 50;
          return rubric::RewardTimes{.candidate_us = is_glitch ? floor_us / 100 : honest_us,
                                     .eager_us = 100,
                                     .compiled_us = 95,
                                     .floor_us = floor_us};
        },
        arm, stream);
  }
}

}  // namespace stitch::toys
