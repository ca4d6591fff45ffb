// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of few channels by patches of whole rows: windows of one, two and three axes, rows that begin
// anywhere, what fp16 does not hold, and errors beside those of plain fp32 sums.
#include "conv_errors.cuh"
#include "kernels/conv/direct_rows.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename Tile, typename Window>
std::vector<float> outputs(Checker& checker, const std::string& name, const ConvCase<Window>& problem,
                           const std::vector<float>& biases) {
  const ConvShape& shape = problem.shape;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(biases);
  const DeviceFloats y(problem.outputs());
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(
      name, launch_conv_direct_rows<Tile, Window>(shape, x.data(), weight.data(), epilogue, pixels % 4 == 0, nullptr));
  return y.values();
}

template <typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  checker.close(name, outputs<Tile, Window>(checker, name, problem, problem.bias), problem.want, 1e-5);
}

template <typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvShape& shape) {
  check<Tile, Window>(checker, name, ConvCase<Window>(shape));
}

using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;

// Patches that hang over the lower edge, rows of odd and even lengths, shorter than eight and longer than a product;
// outputs that are stored by four and that are not; rows that are copied by four and that are not.
void check_windows(Checker& checker) {
  using Volume = ConvWindow3d<3, 2, 3, 2, 1, 1, 1, 0, 1, 1, 1, 2>;
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Box = ConvWindow3d<3, 5, 7, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Row = ConvWindow<1, 7, 1, 1, 0, 3, 1, 1>;
  using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
  using Dilated = ConvWindow<2, 3, 1, 1, 1, 2, 3, 2>;
  check<DirectRowsTile<2, 8, 1, 4>, Valid>(checker, "even rows", conv_shape<Valid>(2, 8, 1, 16, 32, 64, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Valid>(checker, "odd rows", conv_shape<Valid>(1, 7, 1, 9, 37, 70, 1));
  check<DirectRowsTile<2, 8, 1, 4>, Same>(checker, "long rows", conv_shape<Same>(1, 5, 1, 7, 150, 33, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Same>(checker, "narrow", conv_shape<Same>(3, 8, 1, 9, 3, 64, 1));
  check<DirectRowsTile<4, 4, 1, 4>, Same>(checker, "four channels", conv_shape<Same>(2, 3, 1, 18, 34, 64, 1));
  check<DirectRowsTile<2, 4, 1, 4>, Same>(checker, "one channel", conv_shape<Same>(1, 1, 1, 9, 40, 24, 1));
  check<DirectRowsTile<2, 8, 2, 2>, Volume>(checker, "volume", conv_shape<Volume>(1, 5, 8, 6, 13, 10, 1));
  check<DirectRowsTile<4, 8, 2, 4>, Cube>(checker, "cube", conv_shape<Cube>(1, 8, 5, 9, 20, 64, 1));
  check<DirectRowsTile<2, 4, 1, 2>, Box>(checker, "in groups", conv_shape<Box>(1, 3, 4, 9, 24, 64, 1));
  check<DirectRowsTile<2, 4, 1, 1>, Row>(checker, "row", conv_shape<Row>(2, 2, 1, 1, 390, 30, 1));
  check<DirectRowsTile<2, 4, 1, 8>, Point>(checker, "1x1", conv_shape<Point>(1, 3, 1, 5, 7, 17, 1));
  check<DirectRowsTile<2, 8, 1, 4>, Same>(checker, "of a row each", conv_shape<Same>(1, 8, 1, 9, 128, 20, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Same>(checker, "two of a row", conv_shape<Same>(1, 8, 1, 5, 225, 20, 1));
  check<DirectRowsTile<2, 4, 1, 4>, Dilated>(checker, "dilated", conv_shape<Dilated>(1, 3, 1, 11, 21, 33, 1));
}

// More patches than blocks are under way at once: a block takes some after each other.
void check_patches(Checker& checker) {
  check<DirectRowsTile<4, 4, 1, 1>, Same>(checker, "many patches", conv_shape<Same>(90, 1, 1, 3, 6, 2, 1));
}

// Infinities and NaN, in images and in weights, reach exactly the outputs under which they are.
void check_not_finite(Checker& checker) {
  const ConvShape shape = conv_shape<Same>(2, 2, 1, 10, 21, 18, 1);
  const auto changed = [&](const char* name, const auto& change) {
    ConvCase<Same> problem(shape);
    change(problem);
    problem.want = reference<Same>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    check<DirectRowsTile<2, 4, 1, 4>, Same>(checker, name, problem);
    check<DirectRowsTile<2, 8, 1, 4>, Same>(checker, std::string(name) + " of eight", problem);
  };
  changed("infinity", [](auto& problem) { problem.x[7] = INFINITY; });
  changed("NaN", [](auto& problem) { problem.x[300] = NAN; });
  changed("infinite weight", [](auto& problem) { problem.weight[20] = -INFINITY; });
  changed("beyond fp16's scales", [](auto& problem) { problem.x[50] = 0x1p90f; });
  changed("nothing", [](auto& problem) { std::fill(problem.x.begin(), problem.x.end(), 0.0f); });
  changed("large and small", [](auto& problem) {
    for (size_t i = 0; i < problem.x.size(); ++i) {
      problem.x[i] *= i % 21 < 10 ? 0x1p-70f : 1.0f;
    }
  });
}

void check_accuracies(Checker& checker) {
  using Large = ConvWindow<7, 7, 1, 1, 3, 3, 1, 1>;
  const auto run = [&]<typename Tile>(const std::string& name, const ConvCase<Large>& problem) {
    return outputs<Tile, Large>(checker, name, problem, std::vector<float>(problem.bias.size(), 0.0f));
  };
  check_accuracy<Large>(checker, conv_shape<Large>(1, 3, 1, 17, 36, 8, 1), [&](const auto& name, const auto& problem) {
    return run.template operator()<DirectRowsTile<2, 4, 1, 17>>(name, problem);
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
