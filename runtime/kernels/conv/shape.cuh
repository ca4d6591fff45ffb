// SPDX-License-Identifier: Apache-2.0
// What the convolution skeletons take: NCHW, contiguous, weight (out_channels, in_channels / groups, kernel_y,
// kernel_x). As a GEMM: row = output channel of the group, column = output pixel (n, oy, ox), k = (channel, ky, kx).
//
// Epilogue: void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float accumulator) const;
// bias, residual and activation belong there. Neighbouring threads have neighbouring pixels.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

template <int kKernelY, int kKernelX, int kStrideY, int kStrideX, int kPaddingY, int kPaddingX, int kDilationY,
          int kDilationX>
struct ConvWindow {
  static constexpr int kernel_y = kKernelY, kernel_x = kKernelX;
  static constexpr int stride_y = kStrideY, stride_x = kStrideX;
  static constexpr int padding_y = kPaddingY, padding_x = kPaddingX;
  static constexpr int dilation_y = kDilationY, dilation_x = kDilationX;
  static constexpr int taps = kKernelY * kKernelX;
};

struct Conv2dShape {
  int64_t batch;
  int64_t in_channels;
  int64_t height;
  int64_t width;
  int64_t out_channels;
  int64_t out_height;
  int64_t out_width;
  int64_t groups;
};

}  // namespace stitch
