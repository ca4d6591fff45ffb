// SPDX-License-Identifier: Apache-2.0
// Whole blocks of networks, each in several designs: what real models are made of, and chains of operators are not.
#pragma once

#include "synth/recipes/operators.h"

namespace stitch::synth {

std::span<const Operator> row_blocks();      // attention, MLP, mixing, recurrent
std::span<const Operator> channel_blocks();  // norm and convolution, residual, bottleneck, squeeze and excitation

}  // namespace stitch::synth
