// SPDX-License-Identifier: Apache-2.0
// Convolutions: stride, padding, dilation, groups, depthwise, 1 x 1, split K; fp32 pipes and tensor cores.
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/implicit_gemm_ffma.cuh"
#include "kernels/conv/implicit_gemm_mma.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct BiasStore {
  float* y;
  const float* bias;
  Conv2dShape shape;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    y[((n * shape.out_channels + channel) * shape.out_height + out_y) * shape.out_width + out_x] =
        value + bias[channel];
  }
};

template <typename Window>
Conv2dShape conv_shape(int64_t batch, int64_t in_channels, int64_t height, int64_t width, int64_t out_channels,
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
double reference(const Conv2dShape& s, const float* x, const float* weight, int64_t n, int64_t channel, int64_t out_y,
                 int64_t out_x) {
  const int64_t depth = s.in_channels / s.groups;
  const int64_t first = channel / (s.out_channels / s.groups) * depth;
  double sum = 0.0;
  for (int64_t c = 0; c < depth; ++c) {
    for (int ky = 0; ky < Window::kernel_y; ++ky) {
      for (int kx = 0; kx < Window::kernel_x; ++kx) {
        const int64_t in_y = out_y * Window::stride_y - Window::padding_y + ky * Window::dilation_y;
        const int64_t in_x = out_x * Window::stride_x - Window::padding_x + kx * Window::dilation_x;
        if (in_y >= 0 && in_y < s.height && in_x >= 0 && in_x < s.width) {
          sum += static_cast<double>(x[((n * s.in_channels + first + c) * s.height + in_y) * s.width + in_x]) *
                 weight[((channel * depth + c) * Window::kernel_y + ky) * Window::kernel_x + kx];
        }
      }
    }
  }
  return sum;
}

template <typename Window>
struct ConvCase {
  Conv2dShape shape;
  std::vector<float> x;
  std::vector<float> weight;
  std::vector<float> bias;
  std::vector<double> want;

  explicit ConvCase(const Conv2dShape& shape)
      : shape(shape),
        x(random_floats(shape.batch * shape.in_channels * shape.height * shape.width, 1)),
        weight(random_floats(shape.out_channels * shape.in_channels / shape.groups * Window::taps, 2)),
        bias(random_floats(shape.out_channels, 3)) {
    for (int64_t place = 0; place < outputs(); ++place) {
      const int64_t out_x = place % shape.out_width;
      const int64_t out_y = place / shape.out_width % shape.out_height;
      const int64_t channel = place / shape.out_width / shape.out_height % shape.out_channels;
      const int64_t n = place / shape.out_width / shape.out_height / shape.out_channels;
      want.push_back(reference<Window>(shape, x.data(), weight.data(), n, channel, out_y, out_x) + bias[channel]);
    }
  }

  int64_t outputs() const { return shape.batch * shape.out_channels * shape.out_height * shape.out_width; }
};

// launch(shape, input, weight, epilogue, scratch)
template <typename Window, typename Launch>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Launch& launch) {
  constexpr int64_t kMostSplits = 4;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(kMostSplits * problem.outputs());
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name, launch(problem.shape, x.data(), weight.data(), epilogue, scratch.data()));
  checker.close(name, y.values(), problem.want, 1e-5);
}

template <typename FfmaTile, typename MmaTile, typename Window>
void check_both(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  check(checker, name + " ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv2d_ffma<FfmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
  check(checker, name + " mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv2d_mma<Tf32x3, MmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
}

void check_split(Checker& checker) {
  using Window = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  const ConvCase<Window> problem(conv_shape<Window>(1, 20, 5, 4, 10, 1));
  check(checker, "split ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv2d_ffma_split_k<FfmaTileSmall, Window>(shape, x, weight, epilogue, 4, scratch, nullptr);
  });
  check(checker, "split mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv2d_mma_split_k<Tf32x3, MmaTileSmall, Window>(shape, x, weight, epilogue, 3, scratch, nullptr);
  });
}

template <typename Window>
void check_depthwise(Checker& checker, const Conv2dShape& shape) {
  check(checker, "depthwise", ConvCase<Window>(shape), [](auto s, auto x, auto weight, auto epilogue, float*) {
    return launch_conv2d_depthwise<Window>(s, x, weight, epilogue, nullptr);
  });
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  check_both<FfmaTileMedium, MmaTileMedium>(checker, "3x3", ConvCase<Same>(conv_shape<Same>(2, 5, 9, 7, 12, 1)));
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "groups", ConvCase<Same>(conv_shape<Same>(1, 6, 6, 5, 8, 2)));
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "strided",
                                          ConvCase<Strided>(conv_shape<Strided>(2, 3, 13, 14, 33, 1)));
  check_both<FfmaTileLarge, MmaTileLarge>(checker, "1x1", ConvCase<Point>(conv_shape<Point>(2, 36, 8, 9, 130, 1)));
  check_both<FfmaTileSmall, MmaTileTall>(checker, "tall", ConvCase<Same>(conv_shape<Same>(1, 8, 6, 9, 162, 1)));
  using Long = ConvWindow<2, 17, 1, 1, 1, 8, 1, 1>;  // wider than the table of a window has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "long", ConvCase<Long>(conv_shape<Long>(1, 3, 5, 20, 9, 1)));
  check_split(checker);
  check_depthwise<Same>(checker, conv_shape<Same>(2, 6, 9, 7, 6, 6));
  check_depthwise<Strided>(checker, conv_shape<Strided>(1, 4, 13, 14, 8, 4));
  return checker.finish();
}
