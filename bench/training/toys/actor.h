// SPDX-License-Identifier: Apache-2.0
// A policy and a critic that are tables, trained by the losses that train decoders: what a toy shows is the algorithm's
// doing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rl/testing/stream.h"
#include "rl/value/gae.h"
#include "train/algorithms/policy_loss.h"
#include "train/algorithms/value_loss.h"

namespace stitch::toys {

using rl::testing::Stream;
using train::Tensor;

// Samples of one prompt that are compared with each other.
constexpr int kGroup = 8;

// Adam (Kingma and Ba 2015) on one table.
class Table {
 public:
  Table(int64_t rows, int64_t columns);
  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  void step(const Tensor& loss, double learning_rate);

 private:
  Tensor values_;  // fp64, with a gradient
  Tensor mean_;
  Tensor square_;
  int64_t steps_ = 0;
};

// What one rollout did; state and action of each of its steps.
struct Episode {
  std::vector<int64_t> states;
  std::vector<int64_t> actions;
  double reward = 0;  // at the end
};

// Where an episode begins, and what follows on an action: the next state, or -1 at the end, and the episode's reward
// there.
struct Environment {
  std::function<int64_t(Stream&)> start;
  std::function<int64_t(int64_t state, int64_t action)> next;
  std::function<double(const Episode&)> reward;
  int64_t max_steps = 0;
};

// Probabilities of all actions in all states.
std::vector<std::vector<double>> probabilities(const Table& actor);
Episode rollout(const Environment& environment, const std::vector<std::vector<double>>& policy, int64_t start,
                Stream& stream);

// A batch as tensors, [episodes, longest episode].
struct Batch {
  std::vector<Episode> episodes;
  Tensor states;
  Tensor actions;
  Tensor mask;
};
Batch batch_of(std::vector<Episode> episodes);

Tensor log_probs(const Table& actor, const Batch& batch);
Tensor values(const Table& critic, const Batch& batch);
// One number an episode, spread over its steps.
Tensor spread(const Batch& batch, const std::vector<double>& of_episode);

// Some passes over the batch with the loss of policies.
void update_actor(Table& actor, const Batch& batch, const Tensor& advantages, const train::PolicyLossOptions& options,
                  double learning_rate, int passes);
void update_critic(Table& critic, const Batch& batch, const Tensor& targets, double learning_rate, int passes);

// Advantages, whitened, and targets.
struct Estimates {
  Tensor advantages;
  Tensor targets;
  double explained_variance = 0;  // of the returns, before any update
};
Estimates estimates_of(const Table& critic, const Batch& batch, const rl::GaeOptions& options);

// Prints one line of a curve: {"toy", "arm", "seed", "iteration", and what is measured}.
void record(const std::string& toy, const std::string& arm, uint64_t seed, int iteration,
            const std::vector<std::pair<std::string, double>>& measured);

}  // namespace stitch::toys
