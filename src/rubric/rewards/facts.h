// SPDX-License-Identifier: Apache-2.0
// What a reward is computed from: one attempt at one task, judged.
#pragma once

#include <optional>

#include "artifact/report/hack_class.h"
#include "artifact/report/verdict.h"
#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::rubric {

enum class Skill { kScratch, kRefinement };

// Medians of one run in one math mode, the candidate's at the pessimistic end of its interval. All finite and positive.
struct RewardTimes {
  double candidate_us = 0;
  double eager_us = 0;
  double compiled_us = 0;  // torch.compile
  double floor_us = 0;     // bytes and FLOPs that no program can avoid over the device's datasheet peaks
};

constexpr int kMinMark = 4;  // four dimensions, 1 to 5 each
constexpr int kMaxMark = 20;

struct RewardFacts {
  std::optional<VerdictKind> verdict{};  // none: the world failed, nobody knows
  HackClass hack = HackClass::kClean;
  std::optional<RewardTimes> times{};  // none: not measured
  std::optional<int> marks{};          // the rubric's sum, kMinMark to kMaxMark; none: nobody marked it
  Skill skill = Skill::kScratch;
};

// {"verdict": "ok" | null, "class": "clean" | "partial_hack" | "total_hack", "times_us": {"candidate", "eager",
// "compiled", "floor"} | null, "marks": 4..20 | null, "skill": "scratch" | "refinement"}. kFileInvalid where one is
// missing, unknown or out of range.
Result<RewardFacts> reward_facts_from_json(const Json& json);

}  // namespace stitch::rubric
