// SPDX-License-Identifier: Apache-2.0
// Tests that every reward profile makes first.
#pragma once

#include <optional>
#include <string>

#include "rubric/rewards/reward.h"

namespace stitch::rubric {

// No reward, with its sentence, where nothing can be learned: the world failed, or the task judges nobody.
std::optional<Reward> without_lesson(const RewardFacts& facts);

// Whether the answers were right and the time is possible. A time below the floor is not: one that slipped through the
// verdict must not pay.
bool is_right(const RewardFacts& facts);

// "the verdict is wrong", "the candidate is a total hack"
std::string why_not_right(const RewardFacts& facts);

// The marks as a share of what can be had, 0 to 1; the middle where nobody marked the candidate.
double share_of_marks(const RewardFacts& facts);

}  // namespace stitch::rubric
