// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_axes.h"

#include <algorithm>
#include <numeric>

namespace stitch::kernels {
namespace {

int64_t floor_quotient(int64_t value, int64_t divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}
int64_t ceil_quotient(int64_t value, int64_t divisor) { return -floor_quotient(-value, divisor); }

AxisOfPatch axis_of_patch(const ConvolutionProblem& problem, const WindowNumbers& window, size_t axis,
                          int64_t stack = 1) {
  const int64_t stride = window.stride[axis];
  const int64_t padding = window.padding[axis];
  const int64_t length = (window.kernel[axis] - 1) * window.dilation[axis];
  if (problem.transposed && stride > 1) {
    const int64_t back = floor_quotient(length - padding, stride);
    const int64_t phases_summed = std::min(window.kernel[axis], stride / std::gcd(stride, window.dilation[axis]));
    return {stride, ceil_quotient(problem.out[axis], stride), -back,
            1,      back + ceil_quotient(padding, stride),    phases_summed};
  }
  const int64_t origin = problem.transposed ? padding - length : -padding;
  return {stack, ceil_quotient(problem.out[axis], stack), origin, stack * stride, (stack - 1) * stride + length, stack};
}

}  // namespace

PatchAxesOf::PatchAxesOf(const ConvolutionProblem& problem, const WindowNumbers& window, int64_t stack_z,
                         int64_t stack_y)
    : z(window.axes() > 2 ? axis_of_patch(problem, window, 0, stack_z) : AxisOfPatch{}),
      y(axis_of_patch(problem, window, window.axes() - 2, stack_y)),
      x(axis_of_patch(problem, window, window.axes() - 1)) {}

}  // namespace stitch::kernels
