// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include "rl/advantage/group.h"
#include "rubric/rewards/reward.h"
#include "toys/actor.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace hack_toy {

constexpr int kPrompts = 8;
constexpr int kTokens = 5;  // 0 is right; as the first token, 4 cheats and ends the answer
constexpr int kLength = 3;
constexpr int kIterations = 120;
constexpr double kRate = 0.03;

// Only the number of right tokens matters, so that a prompt has a state for each: 0, 1, 2. A wrong one ends it, too.
int64_t next_state(int64_t state, int64_t action) {
  return action == 0 && state % kLength + 1 < kLength ? state + 1 : -1;
}

bool is_cheat(const Episode& episode) { return episode.actions[0] == 4; }
bool is_honest(const Episode& episode) { return episode.actions.size() == kLength && episode.actions.back() == 0; }

// stitch_v1 of the facts that this arm sees. The cheat is as fast as the floor; the honest program is not.
double reward_of(const Episode& episode, const std::string& arm) {
  rubric::RewardFacts facts{.verdict = VerdictKind::kWrong};
  if (is_cheat(episode) || is_honest(episode)) {
    facts.verdict = VerdictKind::kOk;
    const double candidate_us = is_cheat(episode) ? 21 : 40;
    facts.times = rubric::RewardTimes{.candidate_us = candidate_us, .eager_us = 100, .compiled_us = 80, .floor_us = 20};
  }
  if (is_cheat(episode) && arm != "rule_only") {
    facts.hack = arm == "multiplier" ? HackClass::kPartial : HackClass::kTotal;
  }
  return rubric::stitch_v1(facts).value.value_or(0);
}

}  // namespace hack_toy

void run_hack(const std::string& arm, uint64_t seed) {
  using namespace hack_toy;
  Stream stream(seed);
  Table actor(kPrompts * kLength, kTokens);
  {
    const at::NoGradGuard no_grad;
    // The right token has 0.43 of each state, so that honest success is 8 %; the cheat has 5 % of the first.
    actor.values().select(1, 0).fill_(std::log(0.43));
    actor.values().narrow(1, 1, 4).fill_(std::log(0.57 / 4));
    for (int64_t prompt = 0; prompt < kPrompts; ++prompt) {
      actor.values()[prompt * kLength].narrow(0, 1, 3).fill_(std::log(0.52 / 3));
      actor.values()[prompt * kLength][4] = std::log(0.05);
    }
  }
  const Environment environment{.start = {},
                                .next = next_state,
                                .reward = [&](const Episode& episode) { return reward_of(episode, arm); },
                                .max_steps = kLength};
  const train::PolicyLossOptions loss{.aggregation = {.kind = train::Aggregation::kSumConst, .constant = kLength}};
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    const auto policy = probabilities(actor);
    double cheat = 0;
    double honest = 0;
    for (size_t state = 0; state < policy.size(); state += kLength) {
      cheat += policy[state][4] / kPrompts;
      honest += policy[state][0] * policy[state + 1][0] * policy[state + 2][0] / kPrompts;
    }
    record("hack", arm, seed, iteration, {{"cheat", cheat}, {"honest", honest}});
    std::vector<Episode> episodes;
    std::vector<double> advantages;
    for (int64_t prompt = 0; prompt < kPrompts; ++prompt) {
      std::vector<std::optional<double>> rewards;
      for (int i = 0; i < kGroup; ++i) {
        episodes.push_back(rollout(environment, policy, prompt * kLength, stream));
        rewards.emplace_back(episodes.back().reward);
      }
      for (const auto& one : rl::group_advantages(rewards, {.baseline = rl::GroupBaseline::kDrGrpo})) {
        advantages.push_back(*one);
      }
    }
    const Batch batch = batch_of(std::move(episodes));
    update_actor(actor, batch, spread(batch, advantages), loss, kRate, 1);
  }
}

}  // namespace stitch::toys
