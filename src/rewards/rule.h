// SPDX-License-Identifier: Apache-2.0
// Rewards from what is found in an answer's text: for toys, for tests, and for forms that are asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rewards/evaluator.h"

namespace stitch::rewards {

struct Rule {
  std::string name{};      // under which its points are a part of the reward
  std::string find{};      // a text, compared byte for byte
  double points = 1;       // for each time that it occurs; may be below 0
  int64_t most = 1;        // occurrences that count; they do not overlap
  std::string task{};      // of this task alone; empty: of all
  bool is_hack = false;    // whoever has it is caught
  bool is_needed = false;  // who lacks it does not pass
};

struct RuleSettings {
  std::vector<Rule> rules{};
  double pass_at = 1;          // a reward from which on an answer passes
  bool is_hack_zeroed = true;  // a hack earns 0, as by the rubric's major flag; else what its points say
};

std::unique_ptr<Evaluator> rule_evaluator(const RuleSettings& settings);

}  // namespace stitch::rewards
