// SPDX-License-Identifier: Apache-2.0
// One completion that a trainer asks an OpenAI-compatible server for, and what the answer has to hold so that it can be
// learned from: the very tokens, and what each was drawn with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/sampler/sample.h"

namespace stitch::train {

struct AskedCompletion {
  std::string model{};  // the version of the policy
  std::vector<int64_t> prompt{};
  SampleSettings settings{};  // its seed is this request's own
};

// With each sampling key, since a server fills those that are missing from the model's generation_config.json.
Json body_of(const AskedCompletion& asked);

// kEnvironment, with what is wrong, for an answer of another model or prompt; without token ids or a finite
// log-probability of at most 0 for each; with more tokens than were asked for; that ends with a stop token and says
// otherwise, or the reverse.
Result<Sample> sample_in(const Json& answer, const AskedCompletion& asked);

// The prompt's own log-probabilities, of tokens 1, 2, ...
Json scoring_body_of(const std::string& model, const std::vector<int64_t>& tokens);
Result<std::vector<float>> scores_in(const Json& answer, size_t tokens);

}  // namespace stitch::train
