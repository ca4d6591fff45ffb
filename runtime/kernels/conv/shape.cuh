// SPDX-License-Identifier: Apache-2.0
// What the convolution skeletons take: channels before the spatial axes, contiguous; weight (out_channels, in_channels
// / groups, kernel...), that of a transposed convolution (in_channels, out_channels / groups, kernel...). Spatial axes
// are z, y, x; one of two axes has no z. One axis alone is y of extent 1 and x.
//
// Epilogue: void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float accumulator) const, with
// out_z before out_y where there are three axes; bias, residual and activation belong there. Neighbouring threads have
// neighbouring pixels.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

template <int kKernelZ, int kKernelY, int kKernelX, int kStrideZ, int kStrideY, int kStrideX, int kPaddingZ,
          int kPaddingY, int kPaddingX, int kDilationZ, int kDilationY, int kDilationX>
struct ConvWindow3d {
  static constexpr int rank = 3;
  static constexpr bool transposed = false;
  static constexpr int kernel_z = kKernelZ, kernel_y = kKernelY, kernel_x = kKernelX;
  static constexpr int stride_z = kStrideZ, stride_y = kStrideY, stride_x = kStrideX;
  static constexpr int padding_z = kPaddingZ, padding_y = kPaddingY, padding_x = kPaddingX;
  static constexpr int dilation_z = kDilationZ, dilation_y = kDilationY, dilation_x = kDilationX;
  static constexpr int taps = kKernelZ * kKernelY * kKernelX;
};

template <int kKernelY, int kKernelX, int kStrideY, int kStrideX, int kPaddingY, int kPaddingX, int kDilationY,
          int kDilationX>
struct ConvWindow
    : ConvWindow3d<1, kKernelY, kKernelX, 1, kStrideY, kStrideX, 0, kPaddingY, kPaddingX, 1, kDilationY, kDilationX> {
  static constexpr int rank = 2;
};

// The same window the other way: input (y) adds to outputs y * stride - padding + tap * dilation.
template <typename Window>
struct Transposed : Window {
  static constexpr bool transposed = true;
};

struct ConvShape {
  int64_t batch;
  int64_t in_channels;
  int64_t height;
  int64_t width;
  int64_t out_channels;
  int64_t out_height;
  int64_t out_width;
  int64_t groups;
  int64_t depth = 1;
  int64_t out_depth = 1;
};

// One output pixel.
struct PixelPlace {
  int64_t n;
  int64_t z;
  int64_t y;
  int64_t x;
};

template <int kRank, typename Epilogue>
__device__ __forceinline__ void finish_pixel(const Epilogue& epilogue, const PixelPlace& place, int64_t channel,
                                             float value) {
  if constexpr (kRank == 3) {
    epilogue(place.n, channel, place.z, place.y, place.x, value);
  } else {
    epilogue(place.n, channel, place.y, place.x, value);
  }
}

}  // namespace stitch
