// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of few channels by three fp16 products: windows of one, two and three axes, ragged edges, what
// fp16 does not hold, and errors beside those of plain fp32 sums.
#include "conv_support.cuh"
#include "kernels/conv/direct_fp16.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// By the lines of a patch: so many behind, below and beside each other.
template <int kChannels, int kDepth, int kRows, int kAcross>
using Sixteen = DirectFp16Tile<1, 1, 2, 8, kChannels, kDepth, kRows, kAcross>;
template <int kChannels, int kDepth, int kRows, int kAcross>
using ThirtyTwo = DirectFp16Tile<2, 1, 1, 8, kChannels, kDepth, kRows, kAcross>;
template <int kChannels, int kDepth, int kRows, int kAcross>
using SixtyFour = DirectFp16Tile<2, 2, 1, 16, kChannels, kDepth, kRows, kAcross>;

template <typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem, double tolerance = 1e-5) {
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name,
                   launch_conv_direct_fp16<Tile, Window>(problem.shape, x.data(), weight.data(), epilogue, nullptr));
  checker.close(name, y.values(), problem.want, tolerance);
}

template <typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvShape& shape) {
  check<Tile, Window>(checker, name, ConvCase<Window>(shape));
}

using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;

// Patches that hang over every edge, more of them than a block takes and fewer; taps that fill slices and groups of
// slices and that do not; rows that are copied by four and that are not.
void check_windows(Checker& checker) {
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  using Volume = ConvWindow3d<3, 2, 3, 1, 2, 1, 1, 0, 1, 1, 1, 2>;
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Row = ConvWindow<1, 7, 1, 2, 0, 3, 1, 1>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  using Dilated = ConvWindow3d<2, 3, 2, 2, 1, 1, 2, 3, 0, 3, 2, 4>;
  check<SixtyFour<4, 1, 8, 2>, Same>(checker, "3x3", conv_shape<Same>(2, 3, 1, 18, 68, 70, 1));
  check<SixtyFour<8, 1, 8, 2>, Same>(checker, "eight", conv_shape<Same>(1, 8, 1, 19, 33, 70, 1));
  check<Sixteen<4, 1, 16, 1>, Same>(checker, "one channel", conv_shape<Same>(1, 1, 1, 9, 40, 24, 1));
  check<ThirtyTwo<4, 1, 16, 1>, Strided>(checker, "strided", conv_shape<Strided>(2, 4, 1, 77, 14, 33, 1));
  check<SixtyFour<8, 2, 4, 1>, Volume>(checker, "volume", conv_shape<Volume>(2, 5, 4, 35, 8, 10, 1));
  check<Sixteen<8, 1, 4, 2>, Volume>(checker, "wide volume", conv_shape<Volume>(1, 6, 5, 7, 70, 16, 1));
  check<ThirtyTwo<4, 2, 8, 1>, Cube>(checker, "cube", conv_shape<Cube>(2, 3, 6, 11, 36, 24, 1));
  check<SixtyFour<4, 1, 1, 16>, Row>(checker, "row", conv_shape<Row>(1, 2, 1, 1, 1090, 30, 1));
  check<Sixteen<4, 1, 1, 16>, Row>(checker, "sixteen of a row", conv_shape<Row>(2, 4, 1, 2, 95, 16, 1));
  check<Sixteen<4, 1, 16, 1>, Point>(checker, "1x1", conv_shape<Point>(1, 3, 1, 1, 70, 17, 1));
  check<ThirtyTwo<4, 2, 4, 2>, Dilated>(checker, "dilated", conv_shape<Dilated>(1, 3, 7, 9, 40, 33, 1));
}

// More patches than blocks are under way at once: a block takes some after each other.
void check_patches(Checker& checker) {
  using Tall = ConvWindow<2, 1, 1, 1, 0, 0, 1, 1>;
  check<Sixteen<4, 1, 16, 1>, Same>(checker, "many images", conv_shape<Same>(1400, 1, 1, 2, 5, 3, 1));
  check<SixtyFour<4, 1, 16, 1>, Tall>(checker, "many patches", conv_shape<Tall>(300, 2, 1, 18, 4, 2, 1));
}

// Infinities and NaN, in images and in weights, reach exactly the outputs under which they are.
void check_not_finite(Checker& checker) {
  const ConvShape shape = conv_shape<Same>(2, 2, 1, 20, 41, 18, 1);
  const auto changed = [&](const char* name, const auto& change) {
    ConvCase<Same> problem(shape);
    change(problem);
    problem.want = reference<Same>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    check<Sixteen<4, 1, 8, 2>, Same>(checker, std::string(name) + " of sixteen", problem);
    check<ThirtyTwo<4, 1, 16, 1>, Same>(checker, name, problem);
  };
  changed("infinity", [](auto& problem) { problem.x[7] = INFINITY; });
  changed("NaN", [](auto& problem) { problem.x[300] = NAN; });
  changed("infinite weight", [](auto& problem) { problem.weight[20] = -INFINITY; });
  changed("beyond fp16's scales", [](auto& problem) { problem.x[50] = 0x1p90f; });
  changed("nothing", [](auto& problem) { std::fill(problem.x.begin(), problem.x.end(), 0.0f); });
  changed("large and small", [](auto& problem) {
    for (size_t i = 0; i < problem.x.size(); ++i) {
      problem.x[i] *= i % 41 < 20 ? 0x1p-70f : 1.0f;
    }
  });
}

// The largest error in units of 2^-24 of the sum of the products' magnitudes, and that of a plain fp32 sum.
template <typename Window>
struct Errors {
  double got = 0;
  double plain = 0;

  Errors(const ConvCase<Window>& problem, const std::vector<float>& y) {
    const ConvShape& s = problem.shape;
    const std::vector<float> none(static_cast<size_t>(s.out_channels), 0.0f);
    std::vector<float> positive_x = problem.x;
    std::vector<float> positive_weight = problem.weight;
    for (float& value : positive_x) {
      value = std::fabs(value);
    }
    for (float& value : positive_weight) {
      value = std::fabs(value);
    }
    const std::vector<double> want = reference<Window>(s, problem.x.data(), problem.weight.data(), none.data());
    const std::vector<double> sizes = reference<Window>(s, positive_x.data(), positive_weight.data(), none.data());
    for (size_t i = 0; i < want.size(); ++i) {
      const double unit = sizes[i] * 0x1p-24;
      if (unit > 0) {
        got = std::fmax(got, std::fabs(y[i] - want[i]) / unit);
        plain = std::fmax(plain, std::fabs(plain_sum(problem, static_cast<int64_t>(i)) - want[i]) / unit);
      }
    }
  }

  static float plain_sum(const ConvCase<Window>& problem, int64_t output) {
    const ConvShape& s = problem.shape;
    const int64_t x = output % s.out_width;
    const int64_t y = output / s.out_width % s.out_height;
    const int64_t plane = output / s.out_width / s.out_height;
    float sum = 0;
    for (int64_t k = 0; k < s.in_channels * Window::taps; ++k) {
      const int64_t tap = k % Window::taps;
      const int64_t row = y * Window::stride_y - Window::padding_y + tap / Window::kernel_x * Window::dilation_y;
      const int64_t column = x * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
      if (row >= 0 && row < s.height && column >= 0 && column < s.width) {
        const int64_t image = plane / s.out_channels * s.in_channels + k / Window::taps;
        sum += problem.x[static_cast<size_t>((image * s.height + row) * s.width + column)] *
               problem.weight[static_cast<size_t>(plane % s.out_channels * s.in_channels * Window::taps + k)];
      }
    }
    return sum;
  }
};

template <typename Window>
void check_errors(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(std::vector<float>(problem.bias.size(), 0.0f));
  const DeviceFloats y(problem.outputs());
  const BiasStore epilogue{y.data(), bias.data(), problem.shape};
  checker.launched(name, launch_conv_direct_fp16<ThirtyTwo<4, 1, 16, 1>, Window>(problem.shape, x.data(), weight.data(),
                                                                                 epilogue, nullptr));
  const Errors<Window> errors(problem, y.values());
  std::printf("%s: error %.2f, of plain sums %.2f\n", name.c_str(), errors.got, errors.plain);
  checker.is_true(name + " has the errors of fp32", errors.got <= 1.0 + 1.5 * errors.plain);
}

// Of positive elements, of either sign, of exponents 12 and 24 binades apart, and of an image that is dark on one side.
void check_accuracy(Checker& checker) {
  using Large = ConvWindow<7, 7, 1, 1, 3, 3, 1, 1>;
  const ConvShape shape = conv_shape<Large>(1, 3, 1, 17, 36, 8, 1);
  ConvCase<Large> signs(shape);
  check_errors(checker, "either sign", signs);
  ConvCase<Large> positive(shape);
  positive.x = random_floats(static_cast<int64_t>(positive.x.size()), 5, 0.0f, 1.0f);
  check_errors(checker, "positive", positive);
  ConvCase<Large> dark(shape);
  for (size_t i = 0; i < dark.x.size(); ++i) {
    dark.x[i] *= i % 36 < 18 ? 0x1p-26f : 1.0f;
  }
  check_errors(checker, "dark on one side", dark);
  ConvCase<Large> rare(shape);  // tiny ones beside others
  for (size_t i = 0; i < rare.x.size(); i += 97) {
    rare.x[i] *= 0x1p-28f;
  }
  check_errors(checker, "few tiny ones", rare);
  ConvCase<Large> sparse(shape);  // and among zeros, as most of their windows see nothing else
  for (size_t i = 0; i < sparse.x.size(); ++i) {
    sparse.x[i] *= i == 3 ? 1.0f : i % 200 == 100 ? 0x1p-28f : 0.0f;
  }
  check_errors(checker, "tiny ones among zeros", sparse);
  for (const int binades : {12, 24}) {
    ConvCase<Large> wide(shape);
    const std::vector<float> exponents =
        random_floats(static_cast<int64_t>(wide.x.size()), 6, -static_cast<float>(binades), 0.0f);
    for (size_t i = 0; i < wide.x.size(); ++i) {
      wide.x[i] *= std::exp2(std::floor(exponents[i]));
    }
    check_errors(checker, std::to_string(binades) + " binades", wide);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_windows(checker);
  check_patches(checker);
  check_not_finite(checker);
  check_accuracy(checker);
  return checker.finish();
}
