// SPDX-License-Identifier: Apache-2.0
// A convolution seen as a GEMM: its shape, the gather of its input, and its epilogue.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/gemm/operands.cuh"

namespace stitch {

inline GemmShape conv_gemm_shape(const Conv2dShape& shape, int taps) {
  return {shape.groups, shape.out_channels / shape.groups, shape.batch * shape.out_height * shape.out_width,
          shape.in_channels / shape.groups * taps};
}

// Output pixels as (n, oy, ox).
struct PixelIndex {
  Divider out_width;
  Divider out_height;

  __host__ explicit PixelIndex(const Conv2dShape& shape) : out_width(shape.out_width), out_height(shape.out_height) {}

  struct Place {
    int64_t n;
    int64_t y;
    int64_t x;
  };

  __device__ __forceinline__ Place place(int64_t pixel) const {
    const QuotientRemainder row = out_width.divide(pixel);
    const QuotientRemainder image = out_height.divide(row.quotient);
    return {image.quotient, image.remainder, row.remainder};
  }
};

// The input as the GEMM's B operand: element (k, pixel) is a shifted read, or zero in the padding.
template <typename Window>
struct ConvInput {
  const float* data;  // first channel of the group
  int64_t image_stride;
  int64_t plane_stride;
  int height;
  int width;
  PixelIndex pixels;

  // Where the window of one output pixel starts.
  struct Corner {
    const float* image;
    int y;
    int x;
  };

  __device__ __forceinline__ Corner corner(int64_t pixel) const {
    const PixelIndex::Place place = pixels.place(pixel);
    return {data + place.n * image_stride, static_cast<int>(place.y) * Window::stride_y - Window::padding_y,
            static_cast<int>(place.x) * Window::stride_x - Window::padding_x};
  }

  // The address of element k below this corner, or null in the padding.
  __device__ __forceinline__ const float* source(const Corner& corner, uint32_t k) const {
    const uint32_t channel = k / Window::taps;
    const uint32_t tap = k % Window::taps;
    const int y = corner.y + static_cast<int>(tap / Window::kernel_x) * Window::dilation_y;
    const int x = corner.x + static_cast<int>(tap % Window::kernel_x) * Window::dilation_x;
    const bool inside = static_cast<unsigned>(y) < static_cast<unsigned>(height) &&
                        static_cast<unsigned>(x) < static_cast<unsigned>(width);
    return inside ? corner.image + channel * plane_stride + (int64_t{y} * width + x) : nullptr;
  }
};

template <typename Window>
__host__ ConvInput<Window> conv_input(const Conv2dShape& shape, const float* input) {
  const int64_t plane = shape.height * shape.width;
  return {input,
          shape.in_channels * plane,
          plane,
          static_cast<int>(shape.height),
          static_cast<int>(shape.width),
          PixelIndex(shape)};
}

template <typename Epilogue>
struct ConvEpilogue {
  Epilogue epilogue;
  PixelIndex pixels;
  int64_t channels_per_group;

  // One pixel, all channels.
  struct AtPixel {
    const Epilogue& epilogue;
    PixelIndex::Place place;
    int64_t channels_per_group;

    __device__ __forceinline__ void operator()(int64_t group, int64_t row, float value) const {
      epilogue(place.n, group * channels_per_group + row, place.y, place.x, value);
    }
  };

  __device__ __forceinline__ AtPixel at_column(int64_t pixel) const {
    return {epilogue, pixels.place(pixel), channels_per_group};
  }

  __device__ __forceinline__ void operator()(int64_t group, int64_t row, int64_t pixel, float value) const {
    at_column(pixel)(group, row, value);
  }
};

}  // namespace stitch
