// SPDX-License-Identifier: Apache-2.0
// Samples of a file of prompts, as records that training reads.
#pragma once

#include <filesystem>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// Draws as the configuration file says, and writes a line a sample: "prompt" (its number), "sample", "prompt_ids",
// "response_ids", "logp_rollout" (of each token, in the distribution that it was drawn from) and "finish_reason"; of
// prompts that are questions of lessons "text", too. How many are drawn at once changes nothing that is drawn.
Result<Json> run_sample(const std::filesystem::path& config);

}  // namespace stitch::train
