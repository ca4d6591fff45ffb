// SPDX-License-Identifier: Apache-2.0
// What steps that join something to a convolution make of one of its outputs first.
#pragma once

#include <string>
#include <vector>

#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {

// "image", "channel" and the spatial axes of a tensor of `rank` axes, whose names begin with `prefix`.
std::vector<Coordinate> pixel_coordinates(size_t rank, const std::string& prefix);

// Computes the element of `value`, whose extents are the convolution's, from the accumulator of one output pixel of one
// channel.
Result<LoweredFunctor> make_joined_element(StepBuilder& step, ir::ValueId value);

}  // namespace stitch::kernels
