// SPDX-License-Identifier: Apache-2.0
#include "rubric/rewards/gate.h"
#include "rubric/rewards/reward.h"

namespace stitch::rubric {
namespace {

// (baseline - candidate) / baseline > 5 %
bool is_faster(double candidate_us, double baseline_us) { return candidate_us < 0.95 * baseline_us; }

}  // namespace

Reward cuda_agent_v1(const RewardFacts& facts) {
  if (auto nothing = without_lesson(facts)) {
    return *std::move(nothing);
  }
  if (!is_right(facts)) {
    return {.value = -1.0, .reason = why_not_right(facts)};
  }
  if (!facts.times.has_value()) {
    return {.value = std::nullopt, .reason = "right, but not timed"};
  }
  if (!is_faster(facts.times->candidate_us, facts.times->eager_us)) {
    return {.value = 1.0, .reason = "right, not 5 % faster than eager"};
  }
  if (!is_faster(facts.times->candidate_us, facts.times->compiled_us)) {
    return {.value = 2.0, .reason = "right, and more than 5 % faster than eager alone"};
  }
  return {.value = 3.0, .reason = "right, and more than 5 % faster than eager and torch.compile"};
}

}  // namespace stitch::rubric
