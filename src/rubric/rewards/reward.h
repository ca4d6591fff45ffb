// SPDX-License-Identifier: Apache-2.0
// Rewards: pure functions of the facts, one file a profile. Each is finite by construction, null where the world failed
// or what it needs was not measured, and never better for a candidate that cheats than for one that fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rubric/rewards/facts.h"

namespace stitch::rubric {

struct RewardPart {
  std::string name;
  double value = 0;
};

struct Reward {
  std::optional<double> value;    // none: nothing can be learned from this attempt
  std::string reason;             // one sentence
  std::vector<RewardPart> parts{};  // what the value was made of, in order
};

// StitchCUDA's, from its authors' training code: 0 for a wrong answer or a major hack, else (s + 0.3)(1 + l(r - 0.5))
// held to [0, 3]; s the speedup over eager, held to [0, 5]; r the marks as a share; l 1 from scratch, 0.7 refining.
Reward stitchcuda_v1(const RewardFacts& facts);

// CUDA Agent's (arXiv 2602.24286): -1 wrong, 1 right, 2 more than 5 % faster than eager, 3 also than torch.compile.
Reward cuda_agent_v1(const RewardFacts& facts);

// Ours. Milestones, plus the share gained of what the task allows: log(best baseline / candidate) over log(best
// baseline / floor). A task with 70x of waste in its reference so pays no more than one with 1.3x, and there is no
// ceiling below the floor. Times a multiplier of the marks, 0.75 to 1.25.
Reward stitch_v1(const RewardFacts& facts);

struct RewardProfile {
  const char* name;
  Reward (*compute)(const RewardFacts& facts);
};
const std::vector<RewardProfile>& reward_profiles();

// {"profile", "reward": number | null, "reason", "parts": {name: number}}
Json to_json(const RewardProfile& profile, const Reward& reward);

}  // namespace stitch::rubric
