// SPDX-License-Identifier: Apache-2.0
// Samples of a file of prompts, as records that training reads.
#pragma once

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/settings/configuration.h"

namespace stitch::train {

// Draws as the configuration says, and writes a line a sample: "prompt" (its number), "sample", "prompt_ids",
// "response_ids", "logp_rollout" (of each token, in the distribution that it was drawn from) and "finish_reason"; of
// prompts that are questions of lessons "text", too. How many are drawn at once changes nothing that is drawn.
Result<Json> run_sample(const Configuration& config);

}  // namespace stitch::train
