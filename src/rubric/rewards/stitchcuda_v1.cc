// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rubric/rewards/gate.h"
#include "rubric/rewards/reward.h"

namespace stitch::rubric {
namespace {

constexpr double kCorrectness = 0.3;
constexpr double kMaxSpeedup = 5;
constexpr double kMaxReward = 3;
constexpr double kScratchWeight = 1.0;
constexpr double kRefinementWeight = 0.7;

}  // namespace

Reward stitchcuda_v1(const RewardFacts& facts) {
  if (auto nothing = without_lesson(facts)) {
    return *std::move(nothing);
  }
  if (!is_right(facts)) {
    return {.value = 0.0, .reason = why_not_right(facts)};
  }
  if (!facts.times.has_value()) {
    return {.value = std::nullopt, .reason = "right, but not timed"};
  }
  const double speedup = std::min(facts.times->eager_us / facts.times->candidate_us, kMaxSpeedup);
  const double weight = facts.skill == Skill::kScratch ? kScratchWeight : kRefinementWeight;
  const double multiplier = 1 + weight * (share_of_marks(facts) - 0.5);
  return {.value = std::clamp((speedup + kCorrectness) * multiplier, 0.0, kMaxReward),
          .reason = "right, at its speedup over eager",
          .parts = {{.name = "speedup", .value = speedup},
                    {.name = "correctness", .value = kCorrectness},
                    {.name = "multiplier", .value = multiplier}}};
}

}  // namespace stitch::rubric
