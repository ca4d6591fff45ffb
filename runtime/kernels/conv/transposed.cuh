// SPDX-License-Identifier: Apache-2.0
// A transposed convolution as a GEMM, from the side of its outputs: output o of an axis gets tap t of input i where
// i * stride + t * dilation = o + padding. Outputs fall into `stride` phases by (o + padding) % stride; those of one
// phase share their taps, which are `step` apart and read inputs `reach` apart, so that each phase is a small
// convolution without strides. The GEMM's matrices are the phases of the groups: row = output channel, column = (n, the
// outputs of the phase), k = (input channel, tap of the phase). Taps that a phase does not have are read as zeros on
// both sides.
#pragma once

#include "kernels/conv/gemm_view.cuh"

namespace stitch {

constexpr int greatest_common_divisor(int a, int b) { return b == 0 ? a : greatest_common_divisor(b, a % b); }

template <int kKernel, int kStride, int kPadding, int kDilation>
struct TransposedAxis {
  static constexpr int common = greatest_common_divisor(kStride, kDilation);
  static constexpr int phases = kStride;
  static constexpr int step = kStride / common;
  static constexpr int reach = kDilation / common;
  static constexpr int taps = (kKernel + step - 1) / step;  // at most, of one phase
  static constexpr int first = kPadding / kStride;          // (o + padding) / stride of the first output

  // Outputs of one phase, some of which may lie outside.
  static __host__ int64_t outputs(int64_t extent) { return (extent + kPadding - 1) / kStride - first + 1; }

  // The first tap of a phase; kKernel when it has none.
  static __device__ __forceinline__ int first_tap(int phase) {
#pragma unroll 1
    for (int tap = 0; tap < step && tap < kKernel; ++tap) {
      if (tap * kDilation % kStride == phase) {
        return tap;
      }
    }
    return kKernel;
  }
};

template <typename Window>
struct TransposedAxes {
  using Z = TransposedAxis<Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z>;
  using Y = TransposedAxis<Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y>;
  using X = TransposedAxis<Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x>;
  static constexpr int phases = Z::phases * Y::phases * X::phases;
  static constexpr int taps = Z::taps * Y::taps * X::taps;
};

// Numbers along the three axes.
struct Along {
  int z;
  int y;
  int x;
};

template <typename Window>
__device__ __forceinline__ Along phase_along(int phase) {
  using Axes = TransposedAxes<Window>;
  return {phase / (Axes::Y::phases * Axes::X::phases), phase / Axes::X::phases % Axes::Y::phases,
          phase % Axes::X::phases};
}

template <typename Window>
__device__ __forceinline__ Along first_taps(const Along& phase) {
  using Axes = TransposedAxes<Window>;
  return {Axes::Z::first_tap(phase.z), Axes::Y::first_tap(phase.y), Axes::X::first_tap(phase.x)};
}

// The weight as lhs: the planes are its kernels, an outer index one output channel.
template <typename Window, typename T>
struct TransposedWeight {
  using Element = T;
  using Axes = TransposedAxes<Window>;
  using Grid =
      TapGrid<Window::rank, Axes::Z::taps, Axes::Y::taps, Axes::X::taps, Axes::Z::step, Axes::Y::step, Axes::X::step>;
  static constexpr int most_side = Window::rank == 3 ? 10 : 16;

  const T* data;
  Planes planes;
  Along first;

  // channels: input and output channels of one group.
  __device__ __forceinline__ TransposedWeight(const T* weight, int64_t matrix, int64_t in_channels,
                                              int64_t out_channels)
      : data(weight + matrix / Axes::phases * in_channels * out_channels * Window::taps),
        planes{out_channels * Window::taps, Window::kernel_z, Window::kernel_y, Window::kernel_x},
        first(first_taps<Window>(phase_along<Window>(static_cast<int>(matrix % Axes::phases)))) {}

  __device__ __forceinline__ Corner<T> corner(int64_t out_channel) const {
    return {data + out_channel * Window::taps, first.z, first.y, first.x};
  }

  __device__ __forceinline__ bool has_tap(int, int, int) const { return true; }
};

// The input as rhs.
template <typename Window, typename T>
struct TransposedInput {
  using Element = T;
  using Axes = TransposedAxes<Window>;
  using Grid = TapGrid<Window::rank, Axes::Z::taps, Axes::Y::taps, Axes::X::taps, -Axes::Z::reach, -Axes::Y::reach,
                       -Axes::X::reach>;
  static constexpr int most_side = Window::rank == 3 ? 10 : 15;  // one bit is left for taps that are not there

  const T* data;
  int64_t image_stride;
  Planes planes;
  PixelIndex<Window::rank> pixels;
  Along first;  // tap of the phase
  Along shift;  // from the number of an output in its phase to the input that its first tap reads

  // Moves on to one phase of one group.
  __device__ __forceinline__ void start(int64_t matrix, int64_t k) {
    const Along phase = phase_along<Window>(static_cast<int>(matrix % Axes::phases));
    data += matrix / Axes::phases * (k / Axes::taps) * planes.plane_stride;
    first = first_taps<Window>(phase);
    shift = {Axes::Z::first + (phase.z - first.z * Window::dilation_z) / Window::stride_z,
             Axes::Y::first + (phase.y - first.y * Window::dilation_y) / Window::stride_y,
             Axes::X::first + (phase.x - first.x * Window::dilation_x) / Window::stride_x};
  }

  __device__ __forceinline__ Corner<T> corner(int64_t pixel) const {
    const PixelPlace place = pixels.place(pixel);
    return {data + place.n * image_stride, static_cast<int>(place.z) + shift.z, static_cast<int>(place.y) + shift.y,
            static_cast<int>(place.x) + shift.x};
  }

  __device__ __forceinline__ bool has_tap(int z, int y, int x) const {
    return first.z + z * Axes::Z::step < Window::kernel_z && first.y + y * Axes::Y::step < Window::kernel_y &&
           first.x + x * Axes::X::step < Window::kernel_x;
  }
};

template <typename Window, typename Epilogue>
struct TransposedEpilogue {
  using Axes = TransposedAxes<Window>;

  Epilogue epilogue;
  PixelIndex<Window::rank> pixels;
  int64_t channels_per_group;
  PixelPlace extents;  // batch and output extents

  // One number in its phase, all phases and channels.
  struct AtPixel {
    const TransposedEpilogue& whole;
    PixelPlace place;

    __device__ __forceinline__ void operator()(int64_t matrix, int64_t row, float value) const {
      const Along phase = phase_along<Window>(static_cast<int>(matrix % Axes::phases));
      const PixelPlace out{place.n, (place.z + Axes::Z::first) * Window::stride_z + phase.z - Window::padding_z,
                           (place.y + Axes::Y::first) * Window::stride_y + phase.y - Window::padding_y,
                           (place.x + Axes::X::first) * Window::stride_x + phase.x - Window::padding_x};
      if (out.z >= 0 && out.z < whole.extents.z && out.y >= 0 && out.y < whole.extents.y && out.x >= 0 &&
          out.x < whole.extents.x) {
        const int64_t channel = matrix / Axes::phases * whole.channels_per_group + row;
        finish_pixel<Window::rank>(whole.epilogue, out, channel, value);
      }
    }
  };

  __device__ __forceinline__ AtPixel at_column(int64_t pixel) const { return {*this, pixels.place(pixel)}; }

  __device__ __forceinline__ void operator()(int64_t matrix, int64_t row, int64_t pixel, float value) const {
    at_column(pixel)(matrix, row, value);
  }
};

template <typename Window, typename T>
struct ConvProblem<Window, T, true> {
  using Axes = TransposedAxes<Window>;
  using Input = TransposedInput<Window, T>;
  template <typename Epilogue>
  using Finish = TransposedEpilogue<Window, Epilogue>;

  static __host__ PixelIndex<Window::rank> pixels(const ConvShape& shape) {
    return {Axes::Z::outputs(shape.out_depth), Axes::Y::outputs(shape.out_height), Axes::X::outputs(shape.out_width)};
  }

  static __host__ GemmShape gemm_shape(const ConvShape& shape) {
    const PixelIndex<Window::rank> numbers = pixels(shape);
    return {shape.groups * Axes::phases, shape.out_channels / shape.groups,
            shape.batch * numbers.depth.divisor() * numbers.height.divisor() * numbers.width.divisor(),
            shape.in_channels / shape.groups * Axes::taps};
  }

  static __host__ Input input(const ConvShape& shape, const T* data) {
    const Planes planes = input_planes(shape);
    return {data, shape.in_channels * planes.plane_stride, planes, pixels(shape), {}, {}};
  }

  template <typename Epilogue>
  static __host__ Finish<Epilogue> finish(const ConvShape& shape, const Epilogue& epilogue) {
    return {epilogue,
            pixels(shape),
            shape.out_channels / shape.groups,
            {shape.batch, shape.out_depth, shape.out_height, shape.out_width}};
  }
};

}  // namespace stitch
