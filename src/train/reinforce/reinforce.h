// SPDX-License-Identifier: Apache-2.0
// The loops that learn from rewards: rollout, evaluation, advantage, update, again and again.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/settings/configuration.h"

namespace stitch::train {

// Advantages within groups of answers to one prompt. Trains as the configuration says, and goes on where a run was
// ended. The answer names the last checkpoint. What each step drew is in the run's folder `rollouts`, its seconds in
// costs.jsonl.
Result<Json> run_grpo(const Configuration& config);
// Advantages from a critic that is trained beside the policy.
Result<Json> run_ppo(const Configuration& config);

}  // namespace stitch::train
