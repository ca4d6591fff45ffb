// SPDX-License-Identifier: Apache-2.0
// Weights for samples that another policy drew: the server's, which is never quite the trainer's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::rl {

// With w_t = p_old(token t) / p_sampler(token t), p_old the trainer's recomputation at the same weights. The result
// multiplies the loss beside PPO's own ratio, as a number that no gradient goes through. Figures: the error of the
// gradient, by enumeration, for 3 tokens with logits perturbed by 0.5 sigma (none: 0.33).
enum class ImportanceCorrection {
  kOff,
  // min(w_t, cap) for each token. Bias: nearly all of it stays (0.32), as the token before it was drawn elsewhere, too;
  // a guard against single outliers. Its variance does not grow with length.
  kTokenTruncated,
  // min(product of all w_t, cap) for every token of the sequence. Bias: none without the cap; it goes as the cap does
  // (0.035 at 2, 0.19 at 1.2). Variance grows with length.
  kSequenceTruncated,
  // 1 where (product of all w_t)^(1 / tokens) lies within [low, high], else 0 for the whole sequence. Bias: as none,
  // among the samples that stay, and what the policy does elsewhere is not learned; a batch whose sampler is wrong is
  // dropped rather than believed. Does not depend on length.
  kSequenceMaskGeometric,
};

struct ImportanceOptions {
  ImportanceCorrection correction = ImportanceCorrection::kOff;
  double cap = 2;
  double geometric_low = 0.99;
  double geometric_high = 1.01;
};

struct ImportanceWeights {
  std::vector<double> weights;  // one a token; 0 at masked ones
  int64_t truncated = 0;        // model tokens whose weight was cut at the cap
  bool is_dropped = false;      // by the mask over sequences
};

// One sequence. A log-probability that is no number makes the sequence dropped under every correction but kOff.
ImportanceWeights importance_weights(std::span<const double> old_logp, std::span<const double> sampler_logp,
                                     std::span<const uint8_t> mask, const ImportanceOptions& options);

// "off", "token_tis", "seq_tis", "seq_mask_geo".
Result<ImportanceCorrection> importance_correction_from_string(const std::string& name);

}  // namespace stitch::rl
