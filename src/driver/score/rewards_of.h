// SPDX-License-Identifier: Apache-2.0
// What every reward profile makes of a program that was judged and marked.
#pragma once

#include "base/json/json_forward.h"
#include "rubric/rewards/facts.h"
#include "rubric/score/score.h"

namespace stitch::driver {

// [{"profile", "reward", "reason", "parts"}]. Without `times` profiles that need them have none.
Json rewards_of(const rubric::Facts& facts, const rubric::Score& score,
                const std::optional<rubric::RewardTimes>& times = std::nullopt);

}  // namespace stitch::driver
