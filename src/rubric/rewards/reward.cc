// SPDX-License-Identifier: Apache-2.0
#include "rubric/rewards/reward.h"

#include "base/json/json.h"

namespace stitch::rubric {

const std::vector<RewardProfile>& reward_profiles() {
  static const std::vector<RewardProfile> profiles = {
      {.name = "stitchcuda_v1", .compute = stitchcuda_v1},
      {.name = "cuda_agent_v1", .compute = cuda_agent_v1},
      {.name = "stitch_v1", .compute = stitch_v1},
  };
  return profiles;
}

Json to_json(const RewardProfile& profile, const Reward& reward) {
  Json parts = Json::object();
  for (const RewardPart& part : reward.parts) {
    parts[part.name] = part.value;
  }
  Json json = {{"profile", profile.name}, {"reward", nullptr}, {"reason", reward.reason}, {"parts", parts}};
  if (reward.value.has_value()) {
    json["reward"] = *reward.value;
  }
  return json;
}

}  // namespace stitch::rubric
