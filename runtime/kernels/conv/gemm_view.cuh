// SPDX-License-Identifier: Apache-2.0
// A convolution seen as a GEMM: row = output channel of the group, column = output pixel, k = (channel, tap); one
// matrix a group. Its shape, the gather of its input, and its epilogue. kernels/conv/transposed.cuh has the other
// direction.
#pragma once

#include "kernels/conv/pixels.cuh"
#include "kernels/gemm/operands.cuh"

namespace stitch {

// The input as the GEMM's rhs: element (k, pixel) is a shifted read, or zero in the padding.
template <typename Window, typename T>
struct ConvInput {
  using Element = T;
  using Grid = TapGrid<Window::rank, Window::kernel_z, Window::kernel_y, Window::kernel_x, Window::dilation_z,
                       Window::dilation_y, Window::dilation_x>;
  static constexpr int most_side = Window::rank == 3 ? 10 : 16;  // see WindowTable

  const T* data;
  int64_t image_stride;
  Planes planes;
  PixelIndex<Window::rank> pixels;

  // Moves on to the channels of one group.
  __device__ __forceinline__ void start(int64_t group, int64_t k) {
    data += group * (k / Window::taps) * planes.plane_stride;
  }

  __device__ __forceinline__ Corner<T> corner(int64_t pixel) const {
    const PixelPlace place = pixels.place(pixel);
    return {data + place.n * image_stride, static_cast<int>(place.z) * Window::stride_z - Window::padding_z,
            static_cast<int>(place.y) * Window::stride_y - Window::padding_y,
            static_cast<int>(place.x) * Window::stride_x - Window::padding_x};
  }

  __device__ __forceinline__ bool has_tap(int, int, int) const { return true; }
};

template <typename Window, typename Epilogue>
struct ConvEpilogue {
  Epilogue epilogue;
  PixelIndex<Window::rank> pixels;
  int64_t channels_per_group;

  // One pixel, all channels.
  struct AtPixel {
    const Epilogue& epilogue;
    PixelPlace place;
    int64_t channels_per_group;

    __device__ __forceinline__ void operator()(int64_t group, int64_t row, float value) const {
      finish_pixel<Window::rank>(epilogue, place, group * channels_per_group + row, value);
    }
  };

  __device__ __forceinline__ AtPixel at_column(int64_t pixel) const {
    return {epilogue, pixels.place(pixel), channels_per_group};
  }

  __device__ __forceinline__ void operator()(int64_t group, int64_t row, int64_t pixel, float value) const {
    at_column(pixel)(group, row, value);
  }
};

// T: what input and weight are stored in.
template <typename Window, typename T = float, bool kTransposed = Window::transposed>
struct ConvProblem {
  using Input = ConvInput<Window, T>;
  template <typename Epilogue>
  using Finish = ConvEpilogue<Window, Epilogue>;

  static __host__ GemmShape gemm_shape(const ConvShape& shape) {
    return {shape.groups, shape.out_channels / shape.groups,
            shape.batch * shape.out_depth * shape.out_height * shape.out_width,
            shape.in_channels / shape.groups * Window::taps};
  }

  static __host__ PixelIndex<Window::rank> pixels(const ConvShape& shape) {
    return {shape.out_depth, shape.out_height, shape.out_width};
  }

  static __host__ Input input(const ConvShape& shape, const T* data) {
    const Planes planes = input_planes(shape);
    return {data, shape.in_channels * planes.plane_stride, planes, pixels(shape)};
  }

  template <typename Epilogue>
  static __host__ Finish<Epilogue> finish(const ConvShape& shape, const Epilogue& epilogue) {
    return {epilogue, pixels(shape), shape.out_channels / shape.groups};
  }
};

// Of one split's partial sums.
template <typename Window>
__host__ int64_t conv_partial_elements(const ConvShape& shape) {
  const GemmShape gemm = ConvProblem<Window>::gemm_shape(shape);
  return gemm.batch * gemm.m * gemm.n;
}

}  // namespace stitch
