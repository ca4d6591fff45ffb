// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over 2-D windows: one thread per output, neighbouring threads along a row of the output.
//
// load: float operator()(int64_t plane, int64_t y, int64_t x) const, called inside the input only.
// store: void operator()(int64_t plane, int64_t out_y, int64_t out_x, float value) const.
// A plane is one channel of one batch element. Ceil mode shows only in the output extents of the shape.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

template <int kKernelY, int kKernelX, int kStrideY, int kStrideX, int kPaddingY, int kPaddingX, int kDilationY = 1,
          int kDilationX = 1>
struct Window2d {
  static constexpr int kernel_y = kKernelY, kernel_x = kKernelX;
  static constexpr int stride_y = kStrideY, stride_x = kStrideX;
  static constexpr int padding_y = kPaddingY, padding_x = kPaddingX;
  static constexpr int dilation_y = kDilationY, dilation_x = kDilationX;
};

struct Pool2dShape {
  int64_t planes;
  int64_t height;
  int64_t width;
  int64_t out_height;
  int64_t out_width;
};

enum class PoolDivisor {
  kInsideInput,  // count_include_pad = false
  kWithPadding,  // count_include_pad = true: the window cut at the padded border
};

namespace pool_detail {

constexpr int kThreads = 256;

// The part of a window that lies inside the input, and what an average divides by.
struct Span {
  int64_t begin;
  int64_t end;
  int64_t padded_length;
};

__device__ __forceinline__ Span window_span(int64_t out, int64_t extent, int kernel, int stride, int padding) {
  const int64_t start = out * stride - padding;
  const int64_t padded_stop = start + kernel < extent + padding ? start + kernel : extent + padding;
  const int64_t stop = padded_stop < extent ? padded_stop : extent;
  return {start > 0 ? start : 0, stop, padded_stop - start};
}

struct OutputPlace {
  int64_t plane;
  int64_t y;
  int64_t x;
  bool valid;
};

struct OutputDividers {
  Divider width;
  Divider height;
  int64_t outputs;
};

inline OutputDividers output_dividers(const Pool2dShape& shape) {
  return {Divider(shape.out_width), Divider(shape.out_height), shape.planes * shape.out_height * shape.out_width};
}

__device__ __forceinline__ OutputPlace output_place(const OutputDividers& dividers) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const QuotientRemainder row = dividers.width.divide(linear);
  const QuotientRemainder plane = dividers.height.divide(row.quotient);
  return {plane.quotient, plane.remainder, row.remainder, linear < dividers.outputs};
}

template <typename Window, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    max_pool_kernel(Load load, Store store, Pool2dShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place(dividers);
  if (!out.valid) {
    return;
  }
  float largest = -INFINITY;
#pragma unroll
  for (int ky = 0; ky < Window::kernel_y; ++ky) {
    const int64_t y = out.y * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
#pragma unroll
    for (int kx = 0; kx < Window::kernel_x; ++kx) {
      const int64_t x = out.x * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
      if (y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
        largest = maximum(load(out.plane, y, x), largest);
      }
    }
  }
  store(out.plane, out.y, out.x, largest);
}

template <typename Load>
__device__ __forceinline__ float span_sum(const Load& load, int64_t plane, const Span& rows, const Span& columns) {
  float sum = 0.0f;
  for (int64_t y = rows.begin; y < rows.end; ++y) {
    for (int64_t x = columns.begin; x < columns.end; ++x) {
      sum += load(plane, y, x);
    }
  }
  return sum;
}

template <typename Window, PoolDivisor kDivisor, int kDivisorOverride, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    average_pool_kernel(Load load, Store store, Pool2dShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place(dividers);
  if (!out.valid) {
    return;
  }
  const Span rows = window_span(out.y, shape.height, Window::kernel_y, Window::stride_y, Window::padding_y);
  const Span columns = window_span(out.x, shape.width, Window::kernel_x, Window::stride_x, Window::padding_x);
  int64_t divisor = kDivisorOverride;
  if constexpr (kDivisorOverride == 0) {
    divisor = kDivisor == PoolDivisor::kWithPadding ? rows.padded_length * columns.padded_length
                                                    : (rows.end - rows.begin) * (columns.end - columns.begin);
  }
  store(out.plane, out.y, out.x, span_sum(load, out.plane, rows, columns) / static_cast<float>(divisor));
}

__device__ __forceinline__ Span adaptive_span(int64_t out, int64_t extent, int64_t out_extent) {
  return {out * extent / out_extent, ceil_divide((out + 1) * extent, out_extent), 0};
}

template <typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    adaptive_average_pool_kernel(Load load, Store store, Pool2dShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place(dividers);
  if (!out.valid) {
    return;
  }
  const Span rows = adaptive_span(out.y, shape.height, shape.out_height);
  const Span columns = adaptive_span(out.x, shape.width, shape.out_width);
  const int64_t count = (rows.end - rows.begin) * (columns.end - columns.begin);
  store(out.plane, out.y, out.x, span_sum(load, out.plane, rows, columns) / static_cast<float>(count));
}

inline unsigned pool_blocks(const OutputDividers& dividers) {
  return static_cast<unsigned>(ceil_divide(dividers.outputs, kThreads));
}

}  // namespace pool_detail

template <typename Window, typename Load, typename Store>
cudaError_t launch_max_pool(const Load& load, const Store& store, const Pool2dShape& shape, cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::max_pool_kernel<Window, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

// kDivisorOverride: 0 for none. The window's dilation is not used: average pooling has none.
template <typename Window, PoolDivisor kDivisor, int kDivisorOverride = 0, typename Load, typename Store>
cudaError_t launch_average_pool(const Load& load, const Store& store, const Pool2dShape& shape, cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::average_pool_kernel<Window, kDivisor, kDivisorOverride, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

// For an output of 1 x 1 a row reduction (kept = plane) has more parallelism.
template <typename Load, typename Store>
cudaError_t launch_adaptive_average_pool(const Load& load, const Store& store, const Pool2dShape& shape,
                                         cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::adaptive_average_pool_kernel<Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

}  // namespace stitch
