// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "rl/value/fit.h"
#include "toys/actor.h"
#include "toys/toys.h"

namespace stitch::toys {
namespace turns_toy {

enum Action : int64_t { kWork, kRepeat, kSubmit };

constexpr int64_t kMaxTurns = 40;
constexpr int64_t kNeeded = 2;  // turns of work before an answer is right
constexpr int kEpisodes = 128;
constexpr int kIterations = 100;
constexpr int kPretraining = 150;
constexpr double kActorRate = 0.05;
constexpr double kCriticRate = 0.02;
// A cold critic promises about this much everywhere, give or take 1; no episode pays more than 1.
constexpr double kPromise = 3;

// The actor does in every turn what it does in the first one that looks the same. The critic tells turns apart, as one
// that reads the whole conversation does: of turns that nobody has reached it knows nothing, and promises on.
Batch as_the_critic_sees(Batch batch) {
  batch.states = batch.states + (kNeeded + 1) * at::arange(batch.states.size(1)).unsqueeze(0);
  return batch;
}

int64_t next_state(int64_t state, int64_t action) {
  return action == kSubmit ? -1 : action == kWork && state < kNeeded ? state + 1 : state;
}

std::vector<Episode> rollouts(const Environment& environment, const Table& actor, Stream& stream) {
  const auto policy = probabilities(actor);
  std::vector<Episode> episodes;
  for (int i = 0; i < kEpisodes; ++i) {
    episodes.push_back(rollout(environment, policy, 0, stream));
  }
  return episodes;
}

struct Means {
  double reward = 0;
  double turns = 0;
  double at_limit = 0;  // share of episodes that the limit ended
};

Means means_of(const Batch& batch) {
  Means means;
  for (const Episode& episode : batch.episodes) {
    means.reward += episode.reward / kEpisodes;
    means.turns += static_cast<double>(episode.states.size()) / kEpisodes;
    means.at_limit += episode.actions.back() == kSubmit ? 0 : 1.0 / kEpisodes;
  }
  return means;
}

}  // namespace turns_toy

void run_turns(const std::string& arm, uint64_t seed) {
  using namespace turns_toy;
  Stream stream(seed);
  Table actor(kNeeded + 1, 3);
  Table critic((kNeeded + 1) * kMaxTurns, 1);
  {
    const at::NoGradGuard no_grad;
    for (int64_t state = 0; state < (kNeeded + 1) * kMaxTurns; ++state) {
      critic.values()[state][0] = kPromise + stream.normal();
    }
    actor.values().select(1, kWork).fill_(std::log(0.4));
    actor.values().select(1, kRepeat).fill_(std::log(0.3));
    actor.values().select(1, kSubmit).fill_(std::log(0.3));
  }
  const Environment environment{.start = {},
                                .next = next_state,
                                .reward =
                                    [](const Episode& episode) {
                                      const bool is_answer = episode.actions.back() == kSubmit;
                                      return is_answer && episode.states.back() == kNeeded ? 1 : 0;
                                    },
                                .max_steps = kMaxTurns};
  const rl::GaeOptions options{.gamma = 1, .lambda_actor = 0.95, .lambda_critic = 1};
  for (int i = 0; arm == "pretrained" && i < kPretraining; ++i) {  // on rollouts of the frozen actor
    const Batch batch = as_the_critic_sees(batch_of(rollouts(environment, actor, stream)));
    update_critic(critic, batch, estimates_of(critic, batch, options).targets, kCriticRate, 2);
  }
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    const Batch batch = batch_of(rollouts(environment, actor, stream));
    const Batch seen = as_the_critic_sees(batch);
    const Estimates estimates = estimates_of(critic, seen, options);
    const Means means = means_of(batch);
    const bool is_open = arm != "gate" || rl::is_gate_open({.explained_variance = estimates.explained_variance}, 0.0);
    record("turns", arm, seed, iteration,
           {{"reward", means.reward},
            {"turns", means.turns},
            {"at_limit", means.at_limit},
            {"explained_variance", estimates.explained_variance},
            {"is_actor_updated", is_open ? 1 : 0}});
    if (is_open) {
      update_actor(actor, batch, estimates.advantages, {}, kActorRate, 2);
    }
    update_critic(critic, seen, estimates.targets, kCriticRate, 2);
  }
}

}  // namespace stitch::toys
