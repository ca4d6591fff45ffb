// SPDX-License-Identifier: Apache-2.0
// Which sampled answers rejection fine-tuning imitates, and why it does not imitate the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stitch::rl {

enum class KeepRule {
  kRight,      // what passed
  kBest,       // the highest reward of a prompt, whether or not it passed
  kThreshold,  // a reward of at least so much
};
// None for a word that is none of "right", "best", "threshold".
std::optional<KeepRule> keep_rule_from_string(const std::string& word);

struct KeepOptions {
  KeepRule rule = KeepRule::kRight;
  std::optional<double> threshold = {};  // least reward; of kThreshold it must be there, the others may have one, too
  int64_t per_prompt = 0;                // of one prompt at most so many, those of the highest reward; 0: all
  bool is_zero_variance_dropped = false;
  bool is_truncated_kept = false;
};

// One answer. Answers with the same `group` were drawn together for one prompt; `prompt` is the same over several
// draws.
struct SampledAnswer {
  size_t group = 0;
  size_t prompt = 0;
  std::optional<double> reward = {};  // none: the world failed
  bool is_pass = false;
  bool is_hack = false;
  bool is_truncated = false;  // it ran into a limit, so that it has no end
  std::string digest = {};    // equal for equal answers
};

// Each answer is counted once, by the first reason that applies, in this order.
struct KeepCounts {
  int64_t unjudged = 0;
  int64_t in_dropped_group = 0;  // all of the group earned the same, or it has fewer than two rewards
  int64_t hack = 0;
  int64_t truncated = 0;
  int64_t below = 0;   // the rule or the threshold is not met
  int64_t same = 0;    // an earlier answer to the same prompt is the same
  int64_t beyond = 0;  // others of the prompt earned more: by `per_prompt`, or by kBest
  int64_t kept = 0;
};

struct KeptAnswers {
  std::vector<size_t> places;  // of the kept, ascending
  KeepCounts counts;
};

// Rejection sampling as in RFT (Yuan et al. 2023): what is kept and then imitated by its likelihood alone. Ties go to
// the earlier answer. kBest is kRight's `per_prompt` = 1 without the demand that it passed. Biases against the gradient
// of J, all of them meant: imitation of what passed is the policy gradient with rewards 0 and 1, no baseline and one
// step of stale samples, so that nothing is pushed down; a prompt counts by how many of its answers are kept, easy
// prompts most, which `per_prompt` bounds; `same` takes the weight from answers that the policy gives often, and slows
// the loss of entropy that imitating oneself brings; kBest imitates failures of prompts that are never solved, unless a
// threshold forbids it; dropped groups leave prompts that are neither solved nor hopeless; without truncated answers
// what is learned is shorter than what was drawn. A hack is never kept, whatever it earned.
KeptAnswers keep_answers(std::span<const SampledAnswer> answers, const KeepOptions& options);

}  // namespace stitch::rl
