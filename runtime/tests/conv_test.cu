// SPDX-License-Identifier: Apache-2.0
// Convolutions of two and three axes and their transposes: stride, padding, dilation, groups, depthwise, 1 x 1, split
// K; fp32 pipes and tensor cores.
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

// launch(shape, input, weight, epilogue, scratch)
template <typename Window, typename Launch>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Launch& launch) {
  constexpr int64_t kMostSplits = 4;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(kMostSplits * conv_partial_elements<Window>(problem.shape));
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name, launch(problem.shape, x.data(), weight.data(), epilogue, scratch.data()));
  checker.close(name, y.values(), problem.want, 1e-5);
}

template <typename FfmaTile, typename MmaTile, typename Window>
void check_both(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  check(checker, name + " ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_ffma<FfmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
  check(checker, name + " mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float*) {
    return launch_conv_mma<Tf32x3, MmaTile, Window>(shape, x, weight, epilogue, nullptr);
  });
}

template <typename Window>
void check_split(Checker& checker, const ConvCase<Window>& problem) {
  check(checker, "split ffma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv_ffma_split_k<FfmaTileSmall, Window>(shape, x, weight, epilogue, 4, scratch, nullptr);
  });
  check(checker, "split mma", problem, [](auto shape, auto x, auto weight, auto epilogue, float* scratch) {
    return launch_conv_mma_split_k<Tf32x3, MmaTileSmall, Window>(shape, x, weight, epilogue, 3, scratch, nullptr);
  });
}

template <typename Window>
void check_depthwise(Checker& checker, const ConvShape& shape) {
  check(checker, Window::transposed ? "depthwise transposed" : "depthwise", ConvCase<Window>(shape),
        [](auto s, auto x, auto weight, auto epilogue, float*) {
          return launch_conv_depthwise<Window>(s, x, weight, epilogue, nullptr);
        });
}

// Three axes, each with its own numbers.
void check_volumes(Checker& checker) {
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "volume",
                                          ConvCase<Volume>(conv_shape<Volume>(2, 4, 4, 5, 8, 10, 2)));
  using Cube = ConvWindow3d<11, 1, 1, 2, 1, 1, 5, 0, 0, 1, 1, 1>;  // deeper than the table has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "deep", ConvCase<Cube>(conv_shape<Cube>(1, 2, 9, 3, 4, 5, 1)));
  check_depthwise<Volume>(checker, conv_shape<Volume>(2, 3, 4, 5, 8, 6, 3));
}

// Kernel shorter and longer than the stride, dilations with and without a common divisor, phases without taps.
void check_transposed(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  check_both<FfmaTileMedium, MmaTileMedium>(checker, "twice", ConvCase<Twice>(conv_shape<Twice>(2, 5, 6, 7, 12, 1)));
  using Odd = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "odd", ConvCase<Odd>(conv_shape<Odd>(2, 6, 1, 5, 6, 10, 2, 1)));
  using Plain = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 1, 2>>;
  check_both<FfmaTileLarge, MmaTileLarge>(checker, "stride 1", ConvCase<Plain>(conv_shape<Plain>(1, 9, 6, 5, 130, 1)));
  using Dilated = Transposed<ConvWindow<3, 3, 4, 3, 5, 0, 2, 2>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "dilated",
                                          ConvCase<Dilated>(conv_shape<Dilated>(1, 3, 1, 5, 4, 7, 1, 1)));
  using Sparse = Transposed<ConvWindow<1, 2, 3, 5, 0, 1, 1, 1>>;
  check_both<FfmaTileTall, MmaTileSmall>(checker, "sparse", ConvCase<Sparse>(conv_shape<Sparse>(2, 4, 5, 4, 7, 1)));
  using Long = Transposed<ConvWindow<1, 35, 1, 2, 0, 9, 1, 1>>;  // more taps in a phase than the table has bits
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "long", ConvCase<Long>(conv_shape<Long>(1, 3, 3, 9, 5, 1)));
  using Volume = Transposed<ConvWindow3d<3, 2, 3, 2, 2, 1, 1, 0, 1, 1, 1, 2>>;
  check_both<FfmaTileSmall, MmaTileSmall>(checker, "volume",
                                          ConvCase<Volume>(conv_shape<Volume>(1, 4, 3, 3, 5, 6, 2, 1)));
  check_split(checker, ConvCase<Odd>(conv_shape<Odd>(1, 40, 1, 4, 3, 9, 1, 1)));
  check_depthwise<Odd>(checker, conv_shape<Odd>(2, 4, 1, 5, 6, 8, 4, 1));
  check_depthwise<Volume>(checker, conv_shape<Volume>(1, 3, 3, 3, 4, 3, 3, 1));
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
  check_split(checker, ConvCase<Same>(conv_shape<Same>(1, 20, 5, 4, 10, 1)));
  check_depthwise<Same>(checker, conv_shape<Same>(2, 6, 9, 7, 6, 6));
  check_depthwise<Strided>(checker, conv_shape<Strided>(1, 4, 13, 14, 8, 4));
  check_volumes(checker);
  check_transposed(checker);
  return checker.finish();
}
