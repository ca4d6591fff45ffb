// SPDX-License-Identifier: Apache-2.0
#include "rl/selection/keep.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "rl/advantage/filter.h"

namespace stitch::rl {
namespace {

bool has_reward(const SampledAnswer& answer) { return answer.reward.has_value() && std::isfinite(*answer.reward); }

std::set<size_t> dropped_groups(std::span<const SampledAnswer> answers) {
  std::map<size_t, std::vector<JudgedSample>> groups;
  for (const SampledAnswer& answer : answers) {
    groups[answer.group].push_back({answer.reward, answer.is_pass});
  }
  std::set<size_t> dropped;
  for (const auto& [group, samples] : groups) {
    if (fate_of_group(samples, {.is_zero_variance_dropped = true}) != GroupFate::kKept) {
      dropped.insert(group);
    }
  }
  return dropped;
}

bool meets(const SampledAnswer& answer, const KeepOptions& options) {
  const bool is_right = options.rule != KeepRule::kRight || answer.is_pass;
  return is_right && (!options.threshold.has_value() || *answer.reward >= *options.threshold);
}

}  // namespace

std::optional<KeepRule> keep_rule_from_string(const std::string& word) {
  constexpr std::pair<const char*, KeepRule> kRules[] = {
      {"right", KeepRule::kRight}, {"best", KeepRule::kBest}, {"threshold", KeepRule::kThreshold}};
  for (const auto& [name, rule] : kRules) {
    if (word == name) {
      return rule;
    }
  }
  return std::nullopt;
}

KeptAnswers keep_answers(std::span<const SampledAnswer> answers, const KeepOptions& options) {
  const std::set<size_t> dropped = options.is_zero_variance_dropped ? dropped_groups(answers) : std::set<size_t>();
  KeptAnswers kept;
  std::set<std::pair<size_t, std::string>> seen;
  std::map<size_t, std::vector<size_t>> of_prompts;
  for (size_t i = 0; i < answers.size(); ++i) {
    const SampledAnswer& answer = answers[i];
    if (!has_reward(answer)) {
      ++kept.counts.unjudged;
    } else if (dropped.contains(answer.group)) {
      ++kept.counts.in_dropped_group;
    } else if (answer.is_hack) {
      ++kept.counts.hack;
    } else if (answer.is_truncated && !options.is_truncated_kept) {
      ++kept.counts.truncated;
    } else if (!meets(answer, options)) {
      ++kept.counts.below;
    } else if (!seen.emplace(answer.prompt, answer.digest).second) {
      ++kept.counts.same;
    } else {
      of_prompts[answer.prompt].push_back(i);
    }
  }
  const int64_t limit = options.rule == KeepRule::kBest ? 1 : options.per_prompt;
  for (auto& [prompt, places] : of_prompts) {
    std::stable_sort(places.begin(), places.end(),
                     [&](size_t a, size_t b) { return *answers[a].reward > *answers[b].reward; });
    const size_t stay = limit > 0 ? std::min(places.size(), static_cast<size_t>(limit)) : places.size();
    kept.counts.beyond += static_cast<int64_t>(places.size() - stay);
    kept.places.insert(kept.places.end(), places.begin(), places.begin() + static_cast<int64_t>(stay));
  }
  std::sort(kept.places.begin(), kept.places.end());
  kept.counts.kept = static_cast<int64_t>(kept.places.size());
  return kept;
}

}  // namespace stitch::rl
