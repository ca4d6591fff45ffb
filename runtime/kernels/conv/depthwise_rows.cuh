// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by columns: a thread computes kRows outputs, one below the other, and reads each element of the
// rows under them once; neighbouring threads lie along the output row. Sums are added up in the order of
// kernels/conv/depthwise.cuh.
#pragma once

#include "kernels/conv/input_map.cuh"
#include "kernels/conv/pixels.cuh"

namespace stitch {

namespace depthwise_detail {

constexpr int kThreads = 256;

template <typename T>
struct DepthwisePlane {
  const T* elements;
  unsigned depth;
  unsigned height;
  unsigned width;
};

// The tap of output `output` that meets row `input`, counted from the first under the thread's outputs; -1 for none.
template <typename Window>
__device__ constexpr int tap_of_row(int output, int input) {
  const int below = input - output * Window::stride_y;
  const bool is_tap = below >= 0 && below % Window::dilation_y == 0 && below / Window::dilation_y < Window::kernel_y;
  return is_tap ? below / Window::dilation_y : -1;
}

template <typename Window, int kRows>
inline constexpr int kRowsUnder = (kRows - 1) * Window::stride_y + (Window::kernel_y - 1) * Window::dilation_y + 1;

template <typename Window>
inline constexpr int kTapsOfPlane = Window::kernel_y * Window::kernel_x;

// first: where the element under the first tap of the first output lies, perhaps outside; y and x: its place. Elements
// outside count as zeros. Every warp of a narrow image has some: one way for all takes less than two that warps take in
// turns.
template <typename Window, int kRows, typename T, typename InputMap>
__device__ __forceinline__ void sum_plane(const DepthwisePlane<T>& plane, const InputMap& map, int64_t channel,
                                          int64_t first, int y, int x, const float (&taps)[kTapsOfPlane<Window>],
                                          float (&sums)[kRows]) {
  bool is_column[Window::kernel_x];
#pragma unroll
  for (int kx = 0; kx < Window::kernel_x; ++kx) {
    is_column[kx] = static_cast<unsigned>(x + kx * Window::dilation_x) < plane.width;
  }
#pragma unroll
  for (int row = 0; row < kRowsUnder<Window, kRows>; ++row) {
    const bool is_row = static_cast<unsigned>(y + row) < plane.height;
    const int64_t row_start = first + static_cast<int64_t>(row) * plane.width;
#pragma unroll
    for (int kx = 0; kx < Window::kernel_x; ++kx) {
      const bool is_there = is_row && is_column[kx];
      const float element =
          is_there ? map(channel, to_float(plane.elements[row_start + kx * Window::dilation_x])) : 0.0f;
#pragma unroll
      for (int output = 0; output < kRows; ++output) {
        const int ky = tap_of_row<Window>(output, row);
        if (ky >= 0) {
          sums[output] = fmaf(element, taps[ky * Window::kernel_x + kx], sums[output]);
        }
      }
    }
  }
}

// `pixels` numbers columns of kRows outputs.
template <typename Window, int kRows, typename T, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(kThreads)
    depthwise_rows_kernel(ConvShape shape, const T* input, const T* weight, Epilogue epilogue, InputMap map,
                          PixelIndex<Window::rank> pixels, Divider channels, Divider channels_per_group,
                          int64_t columns) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= columns) {
    return;
  }
  PixelPlace out = pixels.place(linear);
  const QuotientRemainder image = channels.divide(out.n);
  const int64_t channel = image.remainder;
  const int64_t in_channel = channels_per_group.divide(channel).quotient;
  const int64_t plane = image.quotient * shape.in_channels + in_channel;
  out.n = image.quotient;
  out.y *= kRows;
  const int z = Window::rank == 3 ? static_cast<int>(out.z) * Window::stride_z - Window::padding_z : 0;
  const int y = static_cast<int>(out.y) * Window::stride_y - Window::padding_y;
  const int x = static_cast<int>(out.x) * Window::stride_x - Window::padding_x;
  const DepthwisePlane<T> elements{input + plane * shape.depth * shape.height * shape.width,
                                   static_cast<unsigned>(shape.depth), static_cast<unsigned>(shape.height),
                                   static_cast<unsigned>(shape.width)};
  float sums[kRows] = {};
#pragma unroll
  for (int kz = 0; kz < Window::kernel_z; ++kz) {
    const int read_z = z + kz * Window::dilation_z;
    if (Window::rank == 3 && static_cast<unsigned>(read_z) >= elements.depth) {
      continue;
    }
    float taps[kTapsOfPlane<Window>];
#pragma unroll
    for (int tap = 0; tap < kTapsOfPlane<Window>; ++tap) {
      taps[tap] = to_float(weight[(channel * Window::kernel_z + kz) * kTapsOfPlane<Window> + tap]);
    }
    const int64_t first = (int64_t{read_z} * elements.height + y) * elements.width + x;
    sum_plane<Window>(elements, map, in_channel, first, y, x, taps, sums);
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    if (out.y + row < shape.out_height) {
      finish_pixel<Window::rank>(epilogue, {out.n, out.z, out.y + row, out.x}, channel, sums[row]);
    }
  }
}

template <typename Window, int kRows, typename T, typename Epilogue, typename InputMap>
cudaError_t launch_depthwise_rows(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                                  cudaStream_t stream, const InputMap& map) {
  const int64_t groups = ceil_divide(shape.out_height, kRows);
  const int64_t columns = shape.batch * shape.out_channels * shape.out_depth * groups * shape.out_width;
  const auto blocks = static_cast<unsigned>(ceil_divide(columns, kThreads));
  depthwise_rows_kernel<Window, kRows, T, Epilogue, InputMap><<<blocks, kThreads, 0, stream>>>(
      shape, input, weight, epilogue, map, PixelIndex<Window::rank>(shape.out_depth, groups, shape.out_width),
      Divider(shape.out_channels), Divider(shape.out_channels / shape.groups), columns);
  return cudaGetLastError();
}

}  // namespace depthwise_detail

}  // namespace stitch
