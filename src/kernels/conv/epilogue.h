// SPDX-License-Identifier: Apache-2.0
// What convolutions do with their sums: the functor that stores what follows from one.
#pragma once

#include "kernels/code/step_builder.h"
#include "kernels/lowering/lower_functor.h"

namespace stitch::kernels {

// How an epilogue is told where a pixel is: by its axes, or by one number, along which neighbours may be taken
// together.
enum class PixelNames { kAxes, kNumber };

// Of the step's root, whose window has so many axes.
Result<LoweredFunctor> make_epilogue(StepBuilder& step, size_t axes, PixelNames names);

}  // namespace stitch::kernels
