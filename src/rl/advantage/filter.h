// SPDX-License-Identifier: Apache-2.0
// Which groups of samples are worth an update, why the others are not, and how many to draw again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stitch::rl {

struct JudgedSample {
  std::optional<double> reward;  // none: no verdict, the world failed
  bool is_pass = false;          // right by its verdict, whatever it earned
};

enum class GroupFate {
  kKept,
  kTooFewVerdicts,  // fewer than two: nothing to compare with
  kAllFail,         // equal rewards, and nobody passed: the task is too hard, or broken
  kAllPass,         // equal rewards, and all passed: nothing left to learn
  kAllEqual,        // equal rewards of some who passed and some who did not: the reward cannot tell them apart
};

// The key that metrics carry: "kept", "too_few_verdicts", "all_fail", "all_pass", "all_equal".
const char* to_string(GroupFate fate);

struct FilterOptions {
  // Without it groups of equal rewards stay, with advantages of 0; they then count in every denominator.
  bool is_zero_variance_dropped = true;
};

// DAPO's dynamic sampling (Yu et al. 2025) without its refill, which groups_to_draw() decides.
// Bias: the update is of J over prompts that the policy neither always solves nor always fails. Prompts count by their
// chance of giving a mixed group, which favours those near one half.
GroupFate fate_of_group(std::span<const JudgedSample> group, const FilterOptions& options);

struct FilterCounts {
  int64_t kept = 0;
  int64_t too_few_verdicts = 0;
  int64_t all_fail = 0;
  int64_t all_pass = 0;
  int64_t all_equal = 0;
  int64_t samples_without_verdict = 0;  // of all groups, the kept ones too
  int64_t samples = 0;

  int64_t groups() const { return kept + too_few_verdicts + all_fail + all_pass + all_equal; }
};

struct FilteredGroups {
  std::vector<size_t> kept;  // positions, in their order
  FilterCounts counts;
};

FilteredGroups filter_groups(std::span<const std::vector<JudgedSample>> groups, const FilterOptions& options);

// How many more groups to draw for a step that wants `wanted` and has `kept`, after `drawn` in all; at most `max_drawn`
// are ever drawn for one step, so that a data set without mixed groups ends a step with few rather than never.
int64_t groups_to_draw(int64_t wanted, int64_t kept, int64_t drawn, int64_t max_drawn);

}  // namespace stitch::rl
