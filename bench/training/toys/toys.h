// SPDX-License-Identifier: Apache-2.0
// The toys: each runs one arm with one seed and prints its curve, one JSON object a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stitch::toys {

struct Toy {
  const char* name;
  std::vector<std::string> arms;
  void (*run)(const std::string& arm, uint64_t seed);
};

// Four digits in the right order, for each of eight prompts; success begins at 6 %. Arms are algorithms.
void run_digits(const std::string& arm, uint64_t seed);
// One first token that passes every visible check. Arms are what the reward makes of it.
void run_hack(const std::string& arm, uint64_t seed);
// Work, repeat or submit, up to 40 turns. Arms are what is done about a critic that promises too much.
void run_turns(const std::string& arm, uint64_t seed);
// Settings of one task, and one technique for easy and hard tasks together. Arms are reward profiles.
void run_settings(const std::string& arm, uint64_t seed);
void run_techniques(const std::string& arm, uint64_t seed);

// A decoder of 100 k parameters reverses five digits, from 25 % by supervised steps. Arms: grpo, ppo, lora, and a
// sampler two iterations behind.
void run_reverse(const std::string& arm, uint64_t seed);
// The same by three rounds of rejection fine-tuning.
void run_rft(const std::string& arm, uint64_t seed);
// A critic learns what 256 sequences of four tokens earn, where the answer is a sum.
void run_values(const std::string& arm, uint64_t seed);
// hack with the decoder, whose prompts share what they learn. Arms are what the reward makes of the cheat.
void run_cheat(const std::string& arm, uint64_t seed);
// Two turns: what the first answer cannot know, the environment tells before the second.
void run_refine(const std::string& arm, uint64_t seed);
// A task in tokens that had next to no probability. Arms: RL at once, and after rejection fine-tuning.
void run_rare(const std::string& arm, uint64_t seed);
// Six digits, PPO with a critic whose head is drawn wide. Arms are what is done about it.
void run_collapse(const std::string& arm, uint64_t seed);

}  // namespace stitch::toys
