// SPDX-License-Identifier: Apache-2.0
// The loops that learn from rewards: rollout, evaluation, advantage, update, again and again.
#pragma once

#include <filesystem>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// Advantages within groups of answers to one prompt. Trains as the configuration file says, and goes on where a run was
// ended. The answer names the last checkpoint. What each step drew is in the run's folder `rollouts`, its seconds in
// costs.jsonl.
Result<Json> run_grpo(const std::filesystem::path& config);
// Advantages from a critic that is trained beside the policy.
Result<Json> run_ppo(const std::filesystem::path& config);

}  // namespace stitch::train
