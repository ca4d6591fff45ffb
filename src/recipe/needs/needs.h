// SPDX-License-Identifier: Apache-2.0
// What a stage of a recipe will take, reckoned from its keys and the model's sizes alone. Bytes are those of one rank:
// ranks are copies of each other (data parallel).
#pragma once

#include <algorithm>

#include "recipe/keys/stages.h"
#include "recipe/needs/sizes.h"

namespace stitch::recipe {

struct Needs {
  double parameters = 0;          // of the base
  double trained_parameters = 0;  // that the optimizer steps, the critic's among them
  double steps = 0;
  double samples = 0;        // of a step
  double prompt_tokens = 0;  // at most, of one sample
  double answer_tokens = 0;  // likewise
  double tokens = 0;         // of a step, at most: what is learned from, prompts included
  double drawn_tokens = 0;   // of a step, at most: what the policy writes; 0: it writes nothing
  double weight_bytes = 0;
  double optimizer_bytes = 0;   // trained weights in fp32, their gradients, AdamW's two moments
  double activation_bytes = 0;  // of one micro-batch of full length
  double head_bytes = 0;        // logits of one chunk, with their gradients
  double cache_bytes = 0;       // keys and values of the samples that are drawn at once
  double flops = 0;             // of a step at full length
  // Answers are drawn before they are learned from, so that only the larger of the two is there.
  double bytes() const { return weight_bytes + optimizer_bytes + std::max(activation_bytes + head_bytes, cache_bytes); }
};

// Sources of the formulas: section 5.3 of our notes on training, worked out there for Qwen3-32B by hand (about 110 GB),
// which a test repeats. Attention is taken not to store its scores (scaled_dot_product_attention).
// `adapter_rank`: of an adapter that the stage begins from.
Needs needs_of(const Stage& stage, const ModelSizes& sizes, double adapter_rank = 8);

}  // namespace stitch::recipe
