// SPDX-License-Identifier: Apache-2.0
// Log-probabilities of given tokens, without ever holding the logits of more than a few of them.
#pragma once

#include "train/model/decoder.h"

namespace stitch::train {

struct ScoreSettings {
  double temperature = 1;  // logits are divided by it
  int64_t chunk = 1024;    // tokens whose logits are in memory at once
  bool with_entropy = false;
};

struct TokenScores {
  Tensor log_probs;  // fp32 (fp64 for fp64)
  Tensor entropies;  // as log_probs, in nats; undefined unless asked for
};

// Of targets [n], int64, behind hidden states [n, hidden].
TokenScores head_scores(const Decoder& decoder, const Tensor& hidden, const Tensor& targets,
                        const ScoreSettings& settings = {});

// Of tokens 1, 2, ... of each row of `tokens` [batch, tokens], given those before it: [batch, tokens - 1]. Only where
// `wanted` (bool, as the result) says so; 0 elsewhere. Rows that are shorter are filled up at their end.
TokenScores token_scores(const Decoder& decoder, const Tensor& tokens, const Tensor& wanted, const Pass& pass = {},
                         const ScoreSettings& settings = {});

}  // namespace stitch::train
