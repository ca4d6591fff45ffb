// SPDX-License-Identifier: Apache-2.0
// Draws continuations from a decoder, many prompts at once, with keys and values kept.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/error/result.h"
#include "train/model/decoder.h"
#include "train/sampler/distribution.h"

namespace stitch::train {

struct SampleRequest {
  std::vector<int64_t> prompt;
  uint64_t stream = 0;  // what is drawn depends on the seed, the stream and the prompt, not on the rest of the batch
};

struct SampleSettings {
  Restriction restriction;
  int64_t max_tokens = 64;
  std::vector<int64_t> stop_tokens;  // each ends a sample, and is its last token
  uint64_t seed = 0;
  bool adapter = true;
};

// Which tokens may follow `tokens` of request number `request`: bool [vocab] on the CPU, or an undefined tensor for
// all. The place where a grammar enters.
using TokenMask = std::function<Tensor(size_t request, std::span<const int64_t> tokens)>;

enum class FinishReason { kStop, kLength };

struct Sample {
  std::vector<int64_t> tokens;   // without the prompt
  std::vector<float> log_probs;  // of each, in the distribution that it was drawn from
  FinishReason finish_reason = FinishReason::kLength;
};

// kUsage for an empty prompt, a token that is not in the vocabulary, or a prompt that fills all positions.
Result<void> check_requests(const weights::ModelConfig& config, std::span<const SampleRequest> requests);

// In the order of the requests. A sample ends at max_tokens, or where the model has no position left. kUsage as
// check_requests(); kEnvironment when logits are not finite; kFileInvalid when the mask allows nothing.
Result<std::vector<Sample>> sample(const Decoder& decoder, std::span<const SampleRequest> requests,
                                   const SampleSettings& settings, const TokenMask& mask = {});

}  // namespace stitch::train
