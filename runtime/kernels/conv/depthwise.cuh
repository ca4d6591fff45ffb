// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution (groups == in_channels): memory-bound, so one thread per output, neighbouring threads along
// the output row, taps unrolled.
#pragma once

#include "kernels/conv/shape.cuh"

namespace stitch {

namespace depthwise_detail {

constexpr int kThreads = 256;

template <typename Window, typename Epilogue>
__global__ void __launch_bounds__(kThreads)
    depthwise_kernel(Conv2dShape shape, const float* input, const float* weight, Epilogue epilogue, Divider width,
                     Divider height, Divider channels, Divider channels_per_group, int64_t outputs) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= outputs) {
    return;
  }
  const QuotientRemainder row = width.divide(linear);
  const QuotientRemainder plane = height.divide(row.quotient);
  const QuotientRemainder image = channels.divide(plane.quotient);
  const int64_t channel = image.remainder;
  const int64_t in_channel = channels_per_group.divide(channel).quotient;
  const float* in_plane = input + (image.quotient * shape.in_channels + in_channel) * shape.height * shape.width;
  const float* taps = weight + channel * Window::taps;
  float sum = 0.0f;
#pragma unroll
  for (int ky = 0; ky < Window::kernel_y; ++ky) {
    const int64_t y = plane.remainder * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
#pragma unroll
    for (int kx = 0; kx < Window::kernel_x; ++kx) {
      const int64_t x = row.remainder * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
      if (y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
        sum = fmaf(in_plane[y * shape.width + x], taps[ky * Window::kernel_x + kx], sum);
      }
    }
  }
  epilogue(image.quotient, channel, plane.remainder, row.remainder, sum);
}

}  // namespace depthwise_detail

// Needs shape.groups == shape.in_channels; out_channels may be a multiple of it.
template <typename Window, typename Epilogue>
cudaError_t launch_conv2d_depthwise(const Conv2dShape& shape, const float* input, const float* weight,
                                    const Epilogue& epilogue, cudaStream_t stream) {
  if (shape.groups != shape.in_channels) {
    return cudaErrorInvalidValue;
  }
  const int64_t outputs = shape.batch * shape.out_channels * shape.out_height * shape.out_width;
  if (outputs == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(outputs, depthwise_detail::kThreads));
  depthwise_detail::depthwise_kernel<Window, Epilogue><<<blocks, depthwise_detail::kThreads, 0, stream>>>(
      shape, input, weight, epilogue, Divider(shape.out_width), Divider(shape.out_height), Divider(shape.out_channels),
      Divider(shape.out_channels / shape.groups), outputs);
  return cudaGetLastError();
}

}  // namespace stitch
