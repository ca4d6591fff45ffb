// SPDX-License-Identifier: Apache-2.0
// Convolutions by windows in registers: ragged channels and rows, several images in a tile and several tiles of a row,
// strides, windows of several sizes, input that is copied by four and one by one, clusters, infinities.
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/window_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

using Three = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Inner = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
using Halved = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;
using Five = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
using FiveHalved = ConvWindow<5, 5, 2, 2, 2, 2, 1, 1>;
using Flat = ConvWindow<1, 5, 1, 1, 0, 2, 1, 1>;
using Apart = ConvWindow<1, 3, 1, 3, 0, 0, 1, 4>;
using Spread = ConvWindow<3, 3, 2, 1, 4, 2, 2, 3>;
using Point = ConvWindow<1, 1, 2, 2, 0, 0, 1, 1>;

// lead: elements before the input.
template <typename Tile, typename Window, int kCluster>
std::vector<float> outputs(Checker& checker, const std::string& name, const ConvCase<Window>& problem, int64_t lead) {
  const ConvShape& shape = problem.shape;
  std::vector<float> input(static_cast<size_t>(lead), NAN);
  input.insert(input.end(), problem.x.begin(), problem.x.end());
  const DeviceFloats x(input);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats arranged(window_detail::window_weight_bytes<Tile, Window>(shape) / int64_t{sizeof(float)});
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, shape.out_height * shape.out_width};
  checker.launched(name, launch_arrange_windows<Tile, Window>(shape, weight.data(), arranged.data(), nullptr));
  checker.launched(name, launch_conv_kept_window_wgmma<Tile, Window, kCluster>(
                             shape, x.data() + lead, weight.data(), epilogue, true, arranged.data(), nullptr));
  return y.values();
}

template <typename Tile, typename Window, int kCluster = 1>
void check(Checker& checker, const std::string& name, int64_t batch, int64_t in_channels, int64_t height, int64_t width,
           int64_t out_channels, int64_t lead = 0) {
  const ConvCase<Window> problem =
      rounded_case<Window>(conv_shape<Window>(batch, in_channels, height, width, out_channels, 1));
  checker.close(name, outputs<Tile, Window, kCluster>(checker, name, problem, lead), problem.want, 1e-5);
}

using Small = PointwiseTile<1, 64>;
using Large = PointwiseTile<2, 64>;

void check_places(Checker& checker) {
  check<Small, Three>(checker, "rows of an image", 2, 37, 14, 14, 70);
  check<Small, Three>(checker, "images of a tile", 5, 33, 7, 7, 64);
  check<Large, Three>(checker, "a last row tile with fewer rows", 1, 9, 29, 28, 20);
  check<Large, Three>(checker, "rows of several tiles", 1, 5, 3, 300, 33);
  check<Small, Three>(checker, "copied by four", 2, 40, 9, 32, 61);
  check<Small, Three>(checker, "an input that begins anywhere", 1, 34, 6, 16, 64, 3);
}

void check_windows(Checker& checker) {
  check<Small, Inner>(checker, "no padding", 2, 35, 10, 13, 40);
  check<Small, Halved>(checker, "stride two", 2, 34, 15, 15, 66);
  check<Large, Five>(checker, "five taps", 1, 17, 12, 12, 48);
  check<PointwiseTile<1, 32>, FiveHalved>(checker, "five taps in steps of two", 1, 35, 9, 12, 32);
  check<Small, Flat>(checker, "one row of taps", 3, 40, 1, 50, 30);
  check<Small, Flat>(checker, "one row of several tiles", 3, 34, 1, 302, 30);
  check<Small, Apart>(checker, "taps apart, in steps of three", 2, 40, 1, 803, 50);
  check<Large, Spread>(checker, "taps apart along both axes", 2, 35, 21, 37, 60);
  check<Small, Point>(checker, "one tap in steps of two", 2, 65, 8, 16, 64);
}

void check_channels(Checker& checker) {
  check<PointwiseTile<1, 32>, Three>(checker, "32 channels", 1, 70, 8, 8, 29);
  check<PointwiseTile<1, 128>, Three>(checker, "128 channels", 1, 33, 8, 8, 130);
  check<PointwiseTile<2, 128>, Three>(checker, "128 channels of two warpgroups", 1, 64, 16, 16, 128);
  check<PointwiseTile<2, 96>, Three>(checker, "96 channels", 1, 40, 16, 16, 96);
}

void check_clusters(Checker& checker) {
  check<Small, Three, 2>(checker, "two blocks", 2, 133, 7, 7, 70);
  check<PointwiseTile<1, 32>, Three, 4>(checker, "four blocks", 1, 150, 8, 14, 32);
  check<Large, Three, 8>(checker, "eight blocks, one without slices", 1, 200, 14, 14, 64);
}

// Infinities and NaN are what plain arithmetic makes of them, and so are elements that rounding would make infinite.
template <int kCluster>
void check_non_finite(Checker& checker) {
  ConvCase<Three> problem = rounded_case<Three>(conv_shape<Three>(2, 70, 9, 11, 19, 1));
  problem.x[7] = INFINITY;
  problem.x[99 * 80] = NAN;
  problem.x[99 * 3 + 50] = 3.4028234e38f;
  problem.weight[31] = -INFINITY;
  problem.want = reference<Three>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  const std::string name = "infinities, " + std::to_string(kCluster) + " blocks";
  checker.close(name, outputs<Small, Three, kCluster>(checker, name, problem, 0), problem.want, 1e-5);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_places(checker);
  check_windows(checker);
  check_channels(checker);
  check_clusters(checker);
  check_non_finite<1>(checker);
  check_non_finite<2>(checker);
  return checker.finish();
}
