// SPDX-License-Identifier: Apache-2.0
#include "rubric/rewards/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stitch::rubric {
namespace {

// Accepted within: a NaN is no time, and above no floor.
bool is_time(double us) { return std::isfinite(us) && us > 0; }
bool is_possible(const RewardTimes& times) {
  return is_time(times.candidate_us) && times.candidate_us >= times.floor_us;
}

}  // namespace

std::optional<Reward> without_lesson(const RewardFacts& facts) {
  if (!facts.verdict.has_value()) {
    return Reward{.value = std::nullopt, .reason = "no verdict: the world failed, not the candidate"};
  }
  if (*facts.verdict == VerdictKind::kUndecided) {
    return Reward{.value = std::nullopt, .reason = "the verdict is undecided: too little was judged"};
  }
  if (*facts.verdict == VerdictKind::kIllConditioned) {
    return Reward{.value = std::nullopt, .reason = "the task is ill conditioned: it tells no answer from another"};
  }
  const bool has_baselines =
      !facts.times.has_value() ||
      (is_time(facts.times->eager_us) && is_time(facts.times->compiled_us) && is_time(facts.times->floor_us));
  if (!has_baselines) {
    return Reward{.value = std::nullopt, .reason = "a baseline or the floor is no time: the world failed"};
  }
  return std::nullopt;
}

bool is_right(const RewardFacts& facts) {
  const bool may_be_timed_so = !facts.times.has_value() || is_possible(*facts.times);
  return facts.verdict == VerdictKind::kOk && facts.hack != HackClass::kTotal && may_be_timed_so;
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
  const int marks = std::clamp(*facts.marks, kMinMark, kMaxMark);
  return static_cast<double>(marks - kMinMark) / (kMaxMark - kMinMark);
}

}  // namespace stitch::rubric
