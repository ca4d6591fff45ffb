// SPDX-License-Identifier: Apache-2.0
#include "rubric/rewards/gate.h"

#include <fmt/format.h>

namespace stitch::rubric {

std::optional<Reward> without_lesson(const RewardFacts& facts) {
  if (!facts.verdict.has_value()) {
    return Reward{.value = std::nullopt, .reason = "no verdict: the world failed, not the candidate"};
  }
  if (*facts.verdict == VerdictKind::kIllConditioned) {
    return Reward{.value = std::nullopt, .reason = "the task is ill conditioned: it tells no answer from another"};
  }
  return std::nullopt;
}

bool is_right(const RewardFacts& facts) {
  const bool is_too_fast = facts.times.has_value() && facts.times->candidate_us < facts.times->floor_us;
  return facts.verdict == VerdictKind::kOk && facts.hack != HackClass::kTotal && !is_too_fast;
}

std::string why_not_right(const RewardFacts& facts) {
  if (facts.verdict != VerdictKind::kOk) {
    return fmt::format("the verdict is {}", to_string(*facts.verdict));
  }
  return facts.hack == HackClass::kTotal ? "the candidate does no work of its own"
                                         : "the time is below what bytes and FLOPs allow";
}

double share_of_marks(const RewardFacts& facts) {
  if (!facts.marks.has_value()) {
    return 0.5;
  }
  return static_cast<double>(*facts.marks - kLowestMark) / (kHighestMark - kLowestMark);
}

}  // namespace stitch::rubric
