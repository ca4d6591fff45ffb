// SPDX-License-Identifier: Apache-2.0
#include "toys/critic.h"
#include "toys/toys.h"

namespace stitch::toys {

void run_collapse(const std::string& arm, uint64_t seed) {
  constexpr int kLength = 6;
  Stream stream(seed);
  const auto held_out = drawn_questions(stream, kHeldOut, kLength);
  Learner learner = fresh_learner(seed);
  warm_start(learner, stream, kLength, held_out, 0.6);
  learner.begin(5e-4);
  run_ppo(learner, stream, kLength,
          {.iterations = 60,
           .head_deviation = 1,
           .critic_rate = 2e-4,
           .pretraining = arm == "pretrained" ? 150 : 0,
           .has_gate = arm == "gate"},
          held_out, "collapse", arm, seed);
}

}  // namespace stitch::toys
