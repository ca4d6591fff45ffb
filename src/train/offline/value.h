// SPDX-License-Identifier: Apache-2.0
// Value pretraining: a critic learns the returns of a policy that stands still, before PPO lets the policy move.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/settings/configuration.h"

namespace stitch::train {

// Trains as the configuration says (docs/training.md), and goes on where a run was ended. It ends when the critic
// explains 'value.ev_gate' of the returns of tasks that it was not trained on, or with its steps: the answer's "gate"
// says which. A checkpoint is what 'ppo.critic' names.
Result<Json> run_value(const Configuration& config);

}  // namespace stitch::train
