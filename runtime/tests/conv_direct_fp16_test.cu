// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of few channels by three fp16 products: windows of one, two and three axes, ragged edges, what
// fp16 does not hold, and errors beside those of plain fp32 sums.
#include "conv_errors.cuh"
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

void check_accuracies(Checker& checker) {
  using Large = ConvWindow<7, 7, 1, 1, 3, 3, 1, 1>;
  check_accuracy<Large>(checker, conv_shape<Large>(1, 3, 1, 17, 36, 8, 1),
                        [&](const std::string& name, const ConvCase<Large>& problem) {
                          const DeviceFloats x(problem.x);
                          const DeviceFloats weight(problem.weight);
                          const DeviceFloats bias(std::vector<float>(problem.bias.size(), 0.0f));
                          const DeviceFloats y(problem.outputs());
                          const BiasStore epilogue{y.data(), bias.data(), problem.shape};
                          checker.launched(name, launch_conv_direct_fp16<ThirtyTwo<4, 1, 16, 1>, Large>(
                                                     problem.shape, x.data(), weight.data(), epilogue, nullptr));
                          return y.values();
                        });
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_windows(checker);
  check_patches(checker);
  check_not_finite(checker);
  check_accuracies(checker);
  return checker.finish();
}
