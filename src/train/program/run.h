// SPDX-License-Identifier: Apache-2.0
// stitchcuda-train's verbs. JSON goes in (a file that --config names), one object of JSON comes out.
//     stitchcuda-train sft --config FILE     fine-tunes a model on given responses
//     stitchcuda-train rft --config FILE     draws answers, keeps the good ones, fine-tunes on them
//     stitchcuda-train value --config FILE   trains a critic of a policy that stands still
//     stitchcuda-train grpo --config FILE    learns from rewards, within groups of answers to one prompt
//     stitchcuda-train ppo --config FILE     learns from rewards, beside a critic
//     stitchcuda-train chain --config FILE   runs several of them, each from what those before it left
//     stitchcuda-train sample --config FILE  draws continuations of prompts
//     stitchcuda-train serve-model ...       answers chats over HTTP, until it is told to end
//     stitchcuda-train facts                 which LibTorch this is, and what it computes on
#pragma once

#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// `words` are the command line without the program's name. kUsage for words that no verb takes.
Result<Json> run_verb(const std::vector<std::string>& words);

}  // namespace stitch::train
