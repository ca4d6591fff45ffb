// SPDX-License-Identifier: Apache-2.0
// Rejection fine-tuning: several answers to each prompt, judged; what is kept of them is learned as `sft` learns.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/settings/configuration.h"

namespace stitch::train {

// Trains as the configuration says (docs/training.md), and goes on where a run was ended: with the file of answers that
// was being drawn, or behind its last checkpoint. What was kept is in the run's lessons.jsonl, what was drawn in its
// folder `rollouts`. The answer has "gate": shut where fewer answers are kept than 'keep.least', and nothing was
// learned then.
Result<Json> run_rft(const Configuration& config);

}  // namespace stitch::train
