// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing: what a function computes on the way to its result is not kept, but computed once more when
// its gradient is asked for. LibTorch has this for Python alone (pytorch#52744).
#pragma once

#include <functional>

#include "train/torch/torch.h"

namespace stitch::train {

using TensorFunction = std::function<Tensor(const Tensor&)>;

// function(input). `parameters` are the tensors with gradients that the function reads besides. The function must
// compute the same each time; gradients are then the same to the bit as without.
Tensor recomputed(const TensorFunction& function, const Tensor& input, at::TensorList parameters);

}  // namespace stitch::train
