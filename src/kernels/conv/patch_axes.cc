// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_axes.h"

namespace stitch::kernels {
namespace {

int64_t floor_quotient(int64_t value, int64_t divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}
int64_t ceil_quotient(int64_t value, int64_t divisor) { return -floor_quotient(-value, divisor); }

AxisOfPatch axis_of_patch(const ConvolutionProblem& problem, const WindowNumbers& window, size_t axis) {
  const int64_t stride = window.stride[axis];
  const int64_t padding = window.padding[axis];
  const int64_t length = (window.kernel[axis] - 1) * window.dilation[axis];
  if (!problem.transposed) {
    return {1, problem.out[axis], -padding, stride, length};
  }
  const int64_t back = floor_quotient(length - padding, stride);
  return {stride, ceil_quotient(problem.out[axis], stride), -back, 1, back + ceil_quotient(padding, stride)};
}

}  // namespace

PatchAxesOf::PatchAxesOf(const ConvolutionProblem& problem, const WindowNumbers& window)
    : z(window.axes() > 2 ? axis_of_patch(problem, window, 0) : AxisOfPatch{}),
      y(axis_of_patch(problem, window, window.axes() - 2)),
      x(axis_of_patch(problem, window, window.axes() - 1)) {}

int64_t taps_of_phase(const WindowNumbers& window, size_t axis, int64_t phase) {
  const int64_t stride = window.stride[axis];
  int64_t count = 0;
  for (int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
    const int64_t output = tap * window.dilation[axis] - window.padding[axis];
    count += output - floor_quotient(output, stride) * stride == phase ? 1 : 0;
  }
  return count;
}

}  // namespace stitch::kernels
