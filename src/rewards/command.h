// SPDX-License-Identifier: Apache-2.0
// Rewards from a program of the user's.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "rewards/evaluator.h"

namespace stitch::rewards {

struct CommandSettings {
  std::vector<std::string> arguments{};       // [0] is the program, looked up in PATH; no shell is between
  std::filesystem::path working_directory{};  // empty: ours
  double timeout_s = 600;                     // for all answers of one call
};

// The program is called with one argument more, a file of candidates, one JSON object a line:
//     {"task": "relu", "skill": "scratch", "text": "...", "step": 3, "prompt": "...", "sample": 0, "turn": 0}
// and prints as many lines, in their order:
//     {"reward": 0.5, "pass": true, "hack": false, "outcome": "ok", "parts": {"name": 1.0}, "feedback": "..."}
// of which "reward" alone is needed; null says that nothing is known. A program that fails, ends late or prints
// something else leaves all of them without a reward, with a sentence.
std::unique_ptr<Evaluator> command_evaluator(const CommandSettings& settings);

}  // namespace stitch::rewards
