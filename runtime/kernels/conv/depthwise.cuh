// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, transposed too (groups == in_channels): memory-bound, so one thread per output, neighbouring
// threads along the output row, taps unrolled. Where windows overlap and there are outputs enough, a thread computes
// several: kernels/conv/depthwise_rows.cuh.
#pragma once

#include "kernels/conv/depthwise_rows.cuh"

namespace stitch {

namespace depthwise_detail {

// The input position along one axis that a tap of one output reads; false where there is none.
template <bool kTransposed, int kStride, int kPadding, int kDilation>
__device__ __forceinline__ bool tap_position(int64_t out, int tap, int64_t extent, int64_t& position) {
  if constexpr (kTransposed) {
    const int64_t spread = out + kPadding - tap * kDilation;
    position = spread / kStride;
    return spread >= 0 && spread % kStride == 0 && position < extent;
  } else {
    position = out * kStride - kPadding + tap * kDilation;
    return position >= 0 && position < extent;
  }
}

template <typename Window, typename T, typename InputMap>
__device__ __forceinline__ float sum_of_taps(const T* plane, const T* weight, const ConvShape& shape,
                                             const InputMap& map, int64_t in_channel, const PixelPlace& out) {
  constexpr bool kTransposed = Window::transposed;
  float sum = 0.0f;
#pragma unroll
  for (int kz = 0; kz < Window::kernel_z; ++kz) {
    int64_t z = 0;
    if constexpr (Window::rank == 3) {
      if (!tap_position<kTransposed, Window::stride_z, Window::padding_z, Window::dilation_z>(out.z, kz, shape.depth,
                                                                                              z)) {
        continue;
      }
    }
#pragma unroll
    for (int ky = 0; ky < Window::kernel_y; ++ky) {
      int64_t y;
      const bool row_inside = tap_position<kTransposed, Window::stride_y, Window::padding_y, Window::dilation_y>(
          out.y, ky, shape.height, y);
#pragma unroll
      for (int kx = 0; kx < Window::kernel_x; ++kx) {
        int64_t x;
        const bool inside = tap_position<kTransposed, Window::stride_x, Window::padding_x, Window::dilation_x>(
            out.x, kx, shape.width, x);
        if (row_inside && inside) {
          sum = fmaf(map(in_channel, to_float(plane[(z * shape.height + y) * shape.width + x])),
                     to_float(weight[(kz * Window::kernel_y + ky) * Window::kernel_x + kx]), sum);
        }
      }
    }
  }
  return sum;
}

template <typename Window, typename T, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(kThreads)
    depthwise_kernel(ConvShape shape, const T* input, const T* weight, Epilogue epilogue, InputMap map,
                     PixelIndex<Window::rank> pixels, Divider channels, Divider channels_per_group, int64_t outputs) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= outputs) {
    return;
  }
  PixelPlace out = pixels.place(linear);
  const QuotientRemainder image = channels.divide(out.n);
  out.n = image.quotient;
  const int64_t channel = image.remainder;
  const int64_t in_channel = channels_per_group.divide(channel).quotient;
  const T* plane = input + (image.quotient * shape.in_channels + in_channel) * shape.depth * shape.height * shape.width;
  const float sum = sum_of_taps<Window>(plane, weight + channel * Window::taps, shape, map, in_channel, out);
  finish_pixel<Window::rank>(epilogue, out, channel, sum);
}

// Rows that a thread computes at once, as many as can be written out; 1: the kernel above.
template <typename Window>
constexpr int rows_of_thread() {
  constexpr int kMostLoads = 96;
  constexpr int kTaps = Window::kernel_z * Window::kernel_x;
  if (Window::transposed || Window::kernel_y == 1) {
    return 1;
  }
  return kRowsUnder<Window, 8> * kTaps <= kMostLoads ? 8 : kRowsUnder<Window, 4> * kTaps <= kMostLoads ? 4 : 1;
}

}  // namespace depthwise_detail

// Needs shape.groups == shape.in_channels; out_channels may be a multiple of it. `map`: of kernels/conv/input_map.cuh.
template <typename Window, typename T, typename Epilogue, typename InputMap = AsStored>
cudaError_t launch_conv_depthwise(const ConvShape& shape, const T* input, const T* weight, const Epilogue& epilogue,
                                  cudaStream_t stream, const InputMap& map = {}) {
  if (shape.groups != shape.in_channels) {
    return cudaErrorInvalidValue;
  }
  const int64_t outputs = shape.batch * shape.out_channels * shape.out_depth * shape.out_height * shape.out_width;
  if (outputs == 0) {
    return cudaSuccess;
  }
  constexpr int kRows = depthwise_detail::rows_of_thread<Window>();
  if constexpr (kRows > 1) {
    constexpr int64_t kEnoughThreads = 65536;
    if (shape.out_height >= kRows && outputs >= kRows * kEnoughThreads) {
      return depthwise_detail::launch_depthwise_rows<Window, kRows>(shape, input, weight, epilogue, stream, map);
    }
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(outputs, depthwise_detail::kThreads));
  depthwise_detail::depthwise_kernel<Window, T, Epilogue, InputMap><<<blocks, depthwise_detail::kThreads, 0, stream>>>(
      shape, input, weight, epilogue, map, PixelIndex<Window::rank>(shape.out_depth, shape.out_height, shape.out_width),
      Divider(shape.out_channels), Divider(shape.out_channels / shape.groups), outputs);
  return cudaGetLastError();
}

}  // namespace stitch
