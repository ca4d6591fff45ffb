// SPDX-License-Identifier: Apache-2.0
#include "driver/score/rewards_of.h"

#include "base/json/json.h"
#include "rubric/rewards/reward.h"

namespace stitch::driver {

// What is not known stays away: without measured times a profile that needs them says so.
Json rewards_of(const rubric::Facts& facts, const rubric::Score& score,
                const std::optional<rubric::RewardTimes>& times) {
  rubric::RewardFacts known;
  known.times = times;
  if (facts.verdict.has_value()) {
    known.verdict = facts.verdict->kind;
  }
  known.hack = facts.framework.has_value() ? facts.framework->hack_class : HackClass::kClean;
  if (score.is_flagged || (facts.verdict.has_value() && facts.verdict->kind == VerdictKind::kCheated)) {
    known.hack = HackClass::kTotal;
  }
  known.marks = score.total;
  known.skill = facts.skill;
  Json list = Json::array();
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    list.push_back(to_json(profile, profile.compute(known)));
  }
  return list;
}

}  // namespace stitch::driver
