// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by columns: a thread computes kRows outputs, one below the other, and reads each element of the
// rows under them once; neighbouring threads lie along the output row. Sums are added up in the order of
// kernels/conv/depthwise.cuh.
#pragma once

#include "kernels/conv/pixels.cuh"

namespace stitch {

namespace depthwise_detail {

constexpr int kThreads = 256;

template <typename T>
struct DepthwisePlane {
  const T* elements;
  int64_t depth;
  int64_t height;
  int64_t width;
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

// z, y, x: of the first element under the outputs, perhaps outside. kIsInside: all of them are there; else the nearest
// is read of those that are not, so that no load waits for a decision, and left out.
template <typename Window, int kRows, bool kIsInside, typename T>
__device__ __forceinline__ void sum_column(const DepthwisePlane<T>& plane, const T* weight, int64_t first_z,
                                           int64_t first_y, int64_t first_x, float (&sums)[kRows]) {
#pragma unroll
  for (int kz = 0; kz < Window::kernel_z; ++kz) {
    const int64_t z = first_z + kz * Window::dilation_z;
    const int64_t read_z = kIsInside ? z : held_within(z, plane.depth);
#pragma unroll
    for (int row = 0; row < kRowsUnder<Window, kRows>; ++row) {
      const int64_t y = first_y + row;
      const int64_t read_y = kIsInside ? y : held_within(y, plane.height);
      const T* const elements = plane.elements + (read_z * plane.height + read_y) * plane.width;
#pragma unroll
      for (int kx = 0; kx < Window::kernel_x; ++kx) {
        const int64_t x = first_x + kx * Window::dilation_x;
        const int64_t read_x = kIsInside ? x : held_within(x, plane.width);
        const bool is_there = kIsInside || (z == read_z && y == read_y && x == read_x);
        const float element = to_float(elements[read_x]);
#pragma unroll
        for (int output = 0; output < kRows; ++output) {
          const int ky = tap_of_row<Window>(output, row);
          if (ky >= 0) {
            const float tap = to_float(weight[(kz * Window::kernel_y + ky) * Window::kernel_x + kx]);
            sums[output] = is_there ? fmaf(element, tap, sums[output]) : sums[output];
          }
        }
      }
    }
  }
}

// `pixels` numbers columns of kRows outputs.
template <typename Window, int kRows, typename T, typename Epilogue>
__global__ void __launch_bounds__(kThreads)
    depthwise_rows_kernel(ConvShape shape, const T* input, const T* weight, Epilogue epilogue,
                          PixelIndex<Window::rank> pixels, Divider channels, Divider channels_per_group,
                          int64_t columns) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= columns) {
    return;
  }
  PixelPlace out = pixels.place(linear);
  const QuotientRemainder image = channels.divide(out.n);
  const int64_t channel = image.remainder;
  const int64_t plane = image.quotient * shape.in_channels + channels_per_group.divide(channel).quotient;
  out.n = image.quotient;
  out.y *= kRows;
  const int64_t z = Window::rank == 3 ? out.z * Window::stride_z - Window::padding_z : 0;
  const int64_t y = out.y * Window::stride_y - Window::padding_y;
  const int64_t x = out.x * Window::stride_x - Window::padding_x;
  const int64_t last_z = z + (Window::kernel_z - 1) * Window::dilation_z;
  const int64_t last_y = y + kRowsUnder<Window, kRows> - 1;
  const int64_t last_x = x + (Window::kernel_x - 1) * Window::dilation_x;
  const bool is_inside =
      z >= 0 && y >= 0 && x >= 0 && last_z < shape.depth && last_y < shape.height && last_x < shape.width;
  const DepthwisePlane<T> elements{input + plane * shape.depth * shape.height * shape.width, shape.depth, shape.height,
                                   shape.width};
  const T* const taps = weight + channel * Window::taps;
  float sums[kRows] = {};
  if (is_inside) {
    sum_column<Window, kRows, true>(elements, taps, z, y, x, sums);
  } else {
    sum_column<Window, kRows, false>(elements, taps, z, y, x, sums);
  }
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
    if (out.y + row < shape.out_height) {
      finish_pixel<Window::rank>(epilogue, {out.n, out.z, out.y + row, out.x}, channel, sums[row]);
    }
  }
}

template <typename Window, int kRows, typename T, typename Epilogue>
cudaError_t launch_depthwise_rows(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                                  cudaStream_t stream) {
  const int64_t groups = ceil_divide(shape.out_height, kRows);
  const int64_t columns = shape.batch * shape.out_channels * shape.out_depth * groups * shape.out_width;
  const auto blocks = static_cast<unsigned>(ceil_divide(columns, kThreads));
  depthwise_rows_kernel<Window, kRows, T, Epilogue><<<blocks, kThreads, 0, stream>>>(
      shape, input, weight, epilogue, PixelIndex<Window::rank>(shape.out_depth, groups, shape.out_width),
      Divider(shape.out_channels), Divider(shape.out_channels / shape.groups), columns);
  return cudaGetLastError();
}

}  // namespace depthwise_detail

}  // namespace stitch
