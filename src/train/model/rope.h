// SPDX-License-Identifier: Apache-2.0
// Rotary position embeddings, with the halves of a head rotated against each other, as transformers computes them.
#pragma once

#include <utility>

#include "train/torch/torch.h"
#include "weights/config/model_config.h"

namespace stitch::train {

// [head_dim / 2], fp32: what a position is multiplied by.
Tensor rope_frequencies(const weights::ModelConfig& config);

// cos and sin, each [batch or 1, 1, tokens, head_dim] of `type`, for int64 positions [batch or 1, tokens].
std::pair<Tensor, Tensor> rope_angles(const Tensor& frequencies, const Tensor& positions, at::ScalarType type);

}  // namespace stitch::train
