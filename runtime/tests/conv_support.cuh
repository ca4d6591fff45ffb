// SPDX-License-Identifier: Apache-2.0
// A convolution with drawn operands and its result in double, for tests of the skeletons.
#pragma once

#include <cmath>

#include "kernels/conv/gemm_view.cuh"
#include "kernels/conv/transposed.cuh"
#include "support.h"

namespace stitch_test {

using namespace stitch;

struct BiasStore {
  float* y;
  const float* bias;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_z, int64_t out_y, int64_t out_x,
                             float value) const {
    const int64_t plane = (n * shape.out_channels + channel) * shape.out_depth + out_z;
    y[(plane * shape.out_height + out_y) * shape.out_width + out_x] = value + bias[channel];
  }

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
};

// Names pixels by their number in the plane; neighbouring ones are stored together.
struct PixelBiasStore {
  float* y;
  const float* bias;
  int64_t channels;
  int64_t pixels;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> stored;
    for (int lane = 0; lane < kLanes; ++lane) {
      stored[lane] = values[lane] + bias[channel];
    }
    store_float_lanes(y + (n * channels + channel) * pixels + pixel, stored);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

// `more` is output padding: outputs of a transposed convolution beyond the last that its size asks for.
template <typename Window>
ConvShape conv_shape(int64_t batch, int64_t in_channels, int64_t depth, int64_t height, int64_t width,
                     int64_t out_channels, int64_t groups, int64_t more = 0) {
  const auto out = [&](int64_t extent, int kernel, int stride, int padding, int dilation) {
    const int reach = dilation * (kernel - 1) + 1;
    return Window::transposed ? (extent - 1) * stride - 2 * padding + reach + (stride > 1 ? more : 0)
                              : (extent + 2 * padding - reach) / stride + 1;
  };
  return {batch,
          in_channels,
          height,
          width,
          out_channels,
          out(height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y),
          out(width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x),
          groups,
          depth,
          out(depth, Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z)};
}

template <typename Window>
ConvShape conv_shape(int64_t batch, int64_t in_channels, int64_t height, int64_t width, int64_t out_channels,
                     int64_t groups) {
  return conv_shape<Window>(batch, in_channels, 1, height, width, out_channels, groups);
}

// Adds what one input channel gives to one output channel: the equation is the same in both directions, with the
// extents of the strided side (inputs, or of a transposed convolution outputs) on the left.
template <typename Window>
void add_planes(const ConvShape& s, const float* x, const float* kernel, double* y) {
  const int64_t fine[3] = {Window::transposed ? s.out_depth : s.depth, Window::transposed ? s.out_height : s.height,
                           Window::transposed ? s.out_width : s.width};
  const int64_t coarse[3] = {Window::transposed ? s.depth : s.out_depth, Window::transposed ? s.height : s.out_height,
                             Window::transposed ? s.width : s.out_width};
  for (int64_t place = 0; place < coarse[0] * coarse[1] * coarse[2]; ++place) {
    for (int64_t tap = 0; tap < Window::taps; ++tap) {
      const int64_t z = place / coarse[2] / coarse[1] * Window::stride_z - Window::padding_z +
                        tap / Window::kernel_x / Window::kernel_y * Window::dilation_z;
      const int64_t row = place / coarse[2] % coarse[1] * Window::stride_y - Window::padding_y +
                          tap / Window::kernel_x % Window::kernel_y * Window::dilation_y;
      const int64_t column =
          place % coarse[2] * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
      if (z < 0 || z >= fine[0] || row < 0 || row >= fine[1] || column < 0 || column >= fine[2]) {
        continue;
      }
      const int64_t at = (z * fine[1] + row) * fine[2] + column;
      y[Window::transposed ? at : place] += static_cast<double>(x[Window::transposed ? place : at]) * kernel[tap];
    }
  }
}

template <typename Window>
std::vector<double> reference(const ConvShape& s, const float* x, const float* weight, const float* bias) {
  const int64_t in_plane = s.depth * s.height * s.width;
  const int64_t out_plane = s.out_depth * s.out_height * s.out_width;
  const int64_t in_group = s.in_channels / s.groups;
  const int64_t out_group = s.out_channels / s.groups;
  std::vector<double> y;
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t channel = 0; channel < s.out_channels; ++channel) {
      std::vector<double> plane(static_cast<size_t>(out_plane), bias[channel]);
      for (int64_t c = 0; c < in_group; ++c) {
        const int64_t in_channel = channel / out_group * in_group + c;
        const int64_t kernel =
            Window::transposed ? in_channel * out_group + channel % out_group : channel * in_group + c;
        add_planes<Window>(s, x + (n * s.in_channels + in_channel) * in_plane, weight + kernel * Window::taps,
                           plane.data());
      }
      y.insert(y.end(), plane.begin(), plane.end());
    }
  }
  return y;
}

template <typename Window>
struct ConvCase {
  ConvShape shape;
  std::vector<float> x;
  std::vector<float> weight;
  std::vector<float> bias;
  std::vector<double> want;

  explicit ConvCase(const ConvShape& shape)
      : shape(shape),
        x(random_floats(shape.batch * shape.in_channels * shape.depth * shape.height * shape.width, 1)),
        weight(random_floats(shape.out_channels * shape.in_channels / shape.groups * Window::taps, 2)),
        bias(random_floats(shape.out_channels, 3)),
        want(reference<Window>(shape, x.data(), weight.data(), bias.data())) {}

  int64_t outputs() const { return static_cast<int64_t>(want.size()); }
};

// With eleven significant bits, which both TF32 and fp16 hold.
inline void round_to_tf32(std::vector<float>& values) {
  for (float& value : values) {
    value = std::round(value * 1024) / 1024;
  }
}

// A convolution whose operands are rounded so.
template <typename Window>
ConvCase<Window> rounded_case(const ConvShape& shape) {
  ConvCase<Window> problem(shape);
  round_to_tf32(problem.x);
  round_to_tf32(problem.weight);
  problem.want = reference<Window>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  return problem;
}

}  // namespace stitch_test
