// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "rubric/rewards/gate.h"
#include "rubric/rewards/reward.h"

namespace stitch::rubric {
namespace {

constexpr double kBuilt = 0.05;
constexpr double kRan = 0.05;
constexpr double kRight = 0.4;
constexpr double kFasterThanBest = 0.25;  // beyond noise
constexpr double kGain = 2;
// A right program that is slow stays above every wrong one: 0.5 - 2 x 0.15 = 0.2.
constexpr double kMinGain = -0.15;
constexpr double kNoise = 1.05;
// A baseline within 5 % of the floor leaves nothing to gain that could be told from noise.
constexpr double kMinHeadroom = 1.05;
constexpr double kMinMultiplier = 0.75;
constexpr double kMultiplierRange = 0.5;

bool has_built(VerdictKind kind) { return kind != VerdictKind::kBuildFailed && kind != VerdictKind::kUnsupported; }
bool has_run(VerdictKind kind) { return kind == VerdictKind::kWrong || kind == VerdictKind::kOk; }
// Nothing is earned on the way to these.
bool is_dishonest(const RewardFacts& facts) {
  return facts.verdict == VerdictKind::kCheated || facts.verdict == VerdictKind::kInvalidTime ||
         facts.hack == HackClass::kTotal || (facts.verdict == VerdictKind::kOk && !is_right(facts));
}

double gained(const RewardTimes& times) {
  // Differences of logarithms: a quotient of extreme times would leave the range of a double.
  const double best = std::log(std::min(times.eager_us, times.compiled_us));
  const double headroom = std::max(best - std::log(times.floor_us), std::log(kMinHeadroom));
  return std::clamp((best - std::log(times.candidate_us)) / headroom, kMinGain, 1.0);
}

double sum(const std::vector<RewardPart>& parts) {
  double total = 0;
  for (const RewardPart& part : parts) {
    total += part.value;
  }
  return total;
}

// The milestones and the gain. A partial hack earns nothing for being right: what was left to the framework is right by
// itself.
std::vector<RewardPart> earned(const RewardFacts& facts) {
  std::vector<RewardPart> parts;
  if (has_built(*facts.verdict)) {
    parts.push_back({.name = "built", .value = kBuilt});
  }
  if (has_run(*facts.verdict)) {
    parts.push_back({.name = "ran", .value = kRan});
  }
  if (!is_right(facts)) {
    return parts;
  }
  const bool is_clean = facts.hack == HackClass::kClean;
  if (is_clean) {
    parts.push_back({.name = "right", .value = kRight});
  }
  if (facts.times.has_value()) {
    const double best_us = std::min(facts.times->eager_us, facts.times->compiled_us);
    if (is_clean && best_us > kNoise * facts.times->candidate_us) {
      parts.push_back({.name = "faster than the best baseline", .value = kFasterThanBest});
    }
    parts.push_back({.name = "gained", .value = kGain * gained(*facts.times)});
  }
  return parts;
}

}  // namespace

Reward stitch_v1(const RewardFacts& facts) {
  if (auto nothing = without_lesson(facts)) {
    return *std::move(nothing);
  }
  if (is_dishonest(facts)) {
    return {.value = 0.0, .reason = why_not_right(facts)};
  }
  std::vector<RewardPart> parts = earned(facts);
  const double multiplier = kMinMultiplier + kMultiplierRange * share_of_marks(facts);
  const double value = std::max(0.0, sum(parts)) * multiplier;
  parts.push_back({.name = "multiplier", .value = multiplier});
  return {.value = value,
          .reason = is_right(facts) ? "right, with its share of what the task allows" : why_not_right(facts),
          .parts = std::move(parts)};
}

}  // namespace stitch::rubric
