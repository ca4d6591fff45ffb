// SPDX-License-Identifier: Apache-2.0
// A convolution as places that read a patch of the input, as runtime/kernels/conv/patch_axes.cuh has it.
#pragma once

#include "kernels/conv/problem.h"

namespace stitch::kernels {

struct AxisOfPatch {
  int64_t phases = 1;  // outputs of a place
  int64_t places = 1;
  int64_t origin = 0;
  int64_t step = 1;
  int64_t reach = 0;          // of a place, beyond its first element
  int64_t phases_summed = 1;  // those that have taps

  int64_t extent(int64_t of_places) const { return (of_places - 1) * step + reach + 1; }
};

struct PatchAxesOf {
  AxisOfPatch z;
  AxisOfPatch y;
  AxisOfPatch x;

  explicit PatchAxesOf(const ConvolutionProblem& problem) : PatchAxesOf(problem, problem.window) {}
  // Of another window over the same images. `stack_z`, `stack_y`: outputs of one place, along axes without phases.
  PatchAxesOf(const ConvolutionProblem& problem, const WindowNumbers& window, int64_t stack_z = 1, int64_t stack_y = 1);

  int64_t phases() const { return z.phases * y.phases * x.phases; }
  int64_t phases_summed() const { return z.phases_summed * y.phases_summed * x.phases_summed; }
};

}  // namespace stitch::kernels
