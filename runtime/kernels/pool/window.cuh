// SPDX-License-Identifier: Apache-2.0
// Max and average pooling over windows of two or three axes: one thread per output, neighbouring threads along a row of
// the output.
//
// load: float operator()(int64_t plane, int64_t y, int64_t x) const, called inside the input only.
// store: void operator()(int64_t plane, int64_t out_y, int64_t out_x, float value) const; where indices are wanted,
// with a further int64_t index: where in its plane the largest element lies. With three axes z comes before y in both.
// A plane is one channel of one batch element. Ceil mode shows only in the output extents of the shape.
#pragma once

#include "kernels/pool/places.cuh"

namespace stitch {

template <int kKernelZ, int kKernelY, int kKernelX, int kStrideZ, int kStrideY, int kStrideX, int kPaddingZ,
          int kPaddingY, int kPaddingX, int kDilationZ = 1, int kDilationY = 1, int kDilationX = 1>
struct Window3d {
  static constexpr int rank = 3;
  static constexpr int kernel_z = kKernelZ, kernel_y = kKernelY, kernel_x = kKernelX;
  static constexpr int stride_z = kStrideZ, stride_y = kStrideY, stride_x = kStrideX;
  static constexpr int padding_z = kPaddingZ, padding_y = kPaddingY, padding_x = kPaddingX;
  static constexpr int dilation_z = kDilationZ, dilation_y = kDilationY, dilation_x = kDilationX;
  static constexpr int taps = kKernelZ * kKernelY * kKernelX;
};

template <int kKernelY, int kKernelX, int kStrideY, int kStrideX, int kPaddingY, int kPaddingX, int kDilationY = 1,
          int kDilationX = 1>
struct Window2d
    : Window3d<1, kKernelY, kKernelX, 1, kStrideY, kStrideX, 0, kPaddingY, kPaddingX, 1, kDilationY, kDilationX> {
  static constexpr int rank = 2;
};

enum class PoolDivisor {
  kInsideInput,  // count_include_pad = false
  kWithPadding,  // count_include_pad = true: the window cut at the padded border
};

namespace pool_detail {

template <typename Window, bool kIndices, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    max_pool_kernel(Load load, Store store, PoolShape shape, OutputDividers dividers) {
  constexpr int kMostUnrolled = 64;
  constexpr int kUnrolled = Window::taps <= kMostUnrolled ? kMostUnrolled : 1;
  const OutputPlace out = output_place<Window::rank>(dividers);
  if (!out.valid) {
    return;
  }
  Largest<kIndices> largest;
#pragma unroll(kUnrolled)
  for (int kz = 0; kz < Window::kernel_z; ++kz) {
    const int64_t z = out.z * Window::stride_z - Window::padding_z + kz * Window::dilation_z;
    if (Window::rank == 3 && (z < 0 || z >= shape.depth)) {
      continue;
    }
#pragma unroll(kUnrolled)
    for (int ky = 0; ky < Window::kernel_y; ++ky) {
      const int64_t y = out.y * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
#pragma unroll(kUnrolled)
      for (int kx = 0; kx < Window::kernel_x; ++kx) {
        const int64_t x = out.x * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
        if (y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
          largest.add(load_at<Window::rank>(load, out.plane, z, y, x), shape, z, y, x);
        }
      }
    }
  }
  largest.template store<Window::rank>(store, out);
}

template <typename Window, PoolDivisor kDivisor, int kDivisorOverride, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads)
    average_pool_kernel(Load load, Store store, PoolShape shape, OutputDividers dividers) {
  const OutputPlace out = output_place<Window::rank>(dividers);
  if (!out.valid) {
    return;
  }
  const Spans spans{window_span(out.z, shape.depth, Window::kernel_z, Window::stride_z, Window::padding_z),
                    window_span(out.y, shape.height, Window::kernel_y, Window::stride_y, Window::padding_y),
                    window_span(out.x, shape.width, Window::kernel_x, Window::stride_x, Window::padding_x)};
  int64_t divisor = kDivisorOverride;
  if constexpr (kDivisorOverride == 0) {
    divisor = kDivisor == PoolDivisor::kWithPadding ? spans.padded_elements() : spans.elements();
  }
  const float sum = span_sum<Window::rank>(load, out.plane, spans);
  store_at<Window::rank>(store, out, sum / static_cast<float>(divisor));
}

}  // namespace pool_detail

// kIndices: the store takes the index too.
template <typename Window, bool kIndices = false, typename Load, typename Store>
cudaError_t launch_max_pool(const Load& load, const Store& store, const PoolShape& shape, cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::max_pool_kernel<Window, kIndices, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

// kDivisorOverride: 0 for none. The window's dilation is not used: average pooling has none.
template <typename Window, PoolDivisor kDivisor, int kDivisorOverride = 0, typename Load, typename Store>
cudaError_t launch_average_pool(const Load& load, const Store& store, const PoolShape& shape, cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  pool_detail::average_pool_kernel<Window, kDivisor, kDivisorOverride, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, shape, dividers);
  return cudaGetLastError();
}

}  // namespace stitch
