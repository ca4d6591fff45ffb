// SPDX-License-Identifier: Apache-2.0
// Convolutions by cuDNN, here the emulator's: both layouts, stride, padding, dilation, groups, and what is kept from
// call to call.
#include "kernels/conv/library.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct BiasStore {
  float* y;
  const float* bias;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    const int64_t plane = n * shape.out_channels + channel;
    y[(plane * shape.out_height + out_y) * shape.out_width + out_x] = value + bias[channel];
  }
};

template <typename Window>
ConvShape shape_of(int64_t batch, int64_t in_channels, int64_t height, int64_t width, int64_t out_channels,
                   int64_t groups) {
  const auto out = [](int64_t extent, int kernel, int stride, int padding, int dilation) {
    return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  };
  return {batch,
          in_channels,
          height,
          width,
          out_channels,
          out(height, Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y),
          out(width, Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x),
          groups};
}

template <typename Window>
double expected_at(const ConvShape& s, const std::vector<float>& x, const std::vector<float>& weight, int64_t n,
                   int64_t k, int64_t out_y, int64_t out_x) {
  const int64_t channels = s.in_channels / s.groups;
  const int64_t first = k / (s.out_channels / s.groups) * channels;
  double sum = 0;
  for (int64_t c = 0; c < channels; ++c) {
    for (int ky = 0; ky < Window::kernel_y; ++ky) {
      for (int kx = 0; kx < Window::kernel_x; ++kx) {
        const int64_t y = out_y * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
        const int64_t column = out_x * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
        if (y >= 0 && y < s.height && column >= 0 && column < s.width) {
          sum += static_cast<double>(x[((n * s.in_channels + first + c) * s.height + y) * s.width + column]) *
                 weight[((k * channels + c) * Window::kernel_y + ky) * Window::kernel_x + kx];
        }
      }
    }
  }
  return sum;
}

template <bool kTf32, typename Window>
void check(Checker& checker, StepLibraries* libraries, const ConvShape& shape) {
  const auto x = random_floats(shape.batch * shape.in_channels * shape.height * shape.width, 1);
  const auto weight = random_floats(shape.out_channels * (shape.in_channels / shape.groups) * Window::taps, 2);
  const auto bias = random_floats(shape.out_channels, 3);
  const int64_t outputs = shape.batch * shape.out_channels * shape.out_height * shape.out_width;
  const DeviceFloats device_x(x);
  const DeviceFloats device_weight(weight);
  const DeviceFloats device_bias(bias);
  const DeviceFloats y(outputs);
  const DeviceFloats scratch((kCudnnWorkspaceBytes + 768) / sizeof(float) + outputs + x.size() + weight.size());
  StepArgs args{};
  args.scratch = scratch.data();
  args.libraries = libraries;
  const BiasStore epilogue{y.data(), device_bias.data(), shape};
  checker.launched("convolution", launch_conv_library<kTf32, Window>(&args, shape, device_x.data(),
                                                                     device_weight.data(), epilogue, nullptr));
  std::vector<double> want;
  for (int64_t n = 0; n < shape.batch; ++n) {
    for (int64_t k = 0; k < shape.out_channels; ++k) {
      for (int64_t out_y = 0; out_y < shape.out_height; ++out_y) {
        for (int64_t out_x = 0; out_x < shape.out_width; ++out_x) {
          want.push_back(expected_at<Window>(shape, x, weight, n, k, out_y, out_x) + bias[k]);
        }
      }
    }
  }
  checker.close(kTf32 ? "TF32, channels last" : "fp32, channels first", y.values(), want, kTf32 ? 2e-2 : 2e-5);
}

template <typename Window>
void check_both(Checker& checker, StepLibraries* libraries, const ConvShape& shape) {
  check<false, Window>(checker, libraries, shape);
  check<true, Window>(checker, libraries, shape);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  StepLibraries libraries{};
  using Plain = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<3, 2, 2, 1, 1, 0, 1, 2>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  for (int call = 0; call < 2; ++call) {  // the second finds what the first has kept
    check_both<Plain>(checker, &libraries, shape_of<Plain>(2, 5, 9, 11, 37, 1));
  }
  check_both<Strided>(checker, &libraries, shape_of<Strided>(1, 6, 12, 10, 8, 2));
  check_both<Point>(checker, &libraries, shape_of<Point>(3, 33, 6, 7, 4, 1));
  libraries.cudnn.destroy(libraries.cudnn.state);
  StepArgs none{};
  const DeviceFloats scratch(kCudnnWorkspaceBytes / sizeof(float) + 1000);
  none.scratch = scratch.data();
  const ConvShape shape = shape_of<Plain>(1, 1, 4, 4, 1, 1);
  checker.is_true("no place to keep a handle",
                  launch_conv_library<false, Plain>(&none, shape, scratch.data(), scratch.data(),
                                                    BiasStore{scratch.data(), scratch.data(), shape},
                                                    nullptr) == cudaErrorNotSupported);
  return checker.finish();
}
