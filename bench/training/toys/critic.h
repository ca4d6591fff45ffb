// SPDX-License-Identifier: Apache-2.0
// PPO on a decoder: a critic that has the actor's layers, its pretraining, and the gate.
#pragma once

#include <string>
#include <vector>

#include "toys/learner.h"

namespace stitch::toys {

// The actor's own layers with a head for values, drawn with `head_deviation`; 0 is a head that says 0 everywhere.
Learner critic_of(const train::Decoder& actor, double head_deviation, double learning_rate, Stream& stream);

// Values before each token of 1, 2, ...: [samples, tokens - 1].
Tensor values_of(const train::Decoder& critic, const Rollouts& rollouts);

struct Critique {
  Tensor advantages;  // whitened
  Tensor targets;
  double explained_variance = 0;
};
Critique critique_of(const train::Decoder& critic, const Rollouts& rollouts);
void critic_step(Learner& critic, const Rollouts& rollouts, const Tensor& targets);

struct PpoSettings {
  int iterations = 150;
  double head_deviation = 0;
  double critic_rate = 5e-4;
  int pretraining = 0;  // steps on rollouts of the frozen actor
  bool has_gate = false;
  double enough = 2;  // ends where greedy decoding answers this share
};
// Prints a point every fifth iteration, as toy and arm; `is_actor_updated` is the share of the iterations since the
// last.
void run_ppo(Learner& actor, Stream& stream, int length, const PpoSettings& settings,
             const std::vector<Question>& held_out, const std::string& toy, const std::string& arm, uint64_t seed);

}  // namespace stitch::toys
