// SPDX-License-Identifier: Apache-2.0
// Convolutions that map their input while they read it, of one tap and by windows: ragged channels and places, maps
// that make something of zero beside padding that stays zero, clusters, infinities.
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/depthwise.cuh"
#include "kernels/conv/pointwise_cluster.cuh"
#include "kernels/conv/turned.cuh"
#include "kernels/conv/window_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
using Three = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Inner = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
using Halved = ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>;
using Flat = ConvWindow<1, 3, 1, 1, 0, 1, 1, 1>;
using Tall = ConvWindow<3, 1, 1, 1, 2, 0, 1, 1>;

// No less than the channel's number, which is never zero.
struct AtLeast {
  const float* least;

  __host__ __device__ float operator()(int64_t channel, float value) const {
    return value < least[channel] ? least[channel] : value;
  }
};

// Numbers of few bits, another one of each of neighbouring channels.
std::vector<float> least_of(int64_t channels) {
  std::vector<float> least;
  for (int64_t channel = 0; channel < channels; ++channel) {
    least.push_back(static_cast<float>(channel % 7 - 3) * 0.25f + 0.125f);
  }
  return least;
}

// What is wanted of a case whose input is mapped before.
template <typename Window>
void map_wanted(ConvCase<Window>& problem) {
  const ConvShape& shape = problem.shape;
  const std::vector<float> least = least_of(shape.in_channels);
  const AtLeast map{least.data()};
  std::vector<float> mapped = problem.x;
  for (size_t i = 0; i < mapped.size(); ++i) {
    mapped[i] = map(static_cast<int64_t>(i) / (shape.height * shape.width) % shape.in_channels, mapped[i]);
  }
  problem.want = reference<Window>(shape, mapped.data(), problem.weight.data(), problem.bias.data());
}

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
  const DeviceFloats least(least_of(shape.in_channels));
  const AtLeast map{least.data()};
  const int64_t pixels = shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  if constexpr (Window::taps > 1) {
    const DeviceFloats arranged(window_detail::window_weight_bytes<Tile, Window>(shape) / int64_t{sizeof(float)});
    checker.launched(name, launch_arrange_windows<Tile, Window>(shape, weight.data(), arranged.data(), nullptr));
    checker.launched(name, launch_conv_kept_window_wgmma<Tile, Window, kCluster>(
                               shape, x.data() + lead, weight.data(), epilogue, true, arranged.data(), nullptr, map));
    return y.values();
  }
  const DeviceFloats arranged(pointwise_detail::WeightBlocks(shape, Tile::channels).bytes(Tile::channels) /
                              int64_t{sizeof(float)});
  checker.launched(name, launch_arrange_pointwise<Tile>(shape, weight.data(), arranged.data(), nullptr));
  if constexpr (kCluster > 1) {
    checker.launched(name, launch_conv_kept_pointwise_cluster<Tile, kCluster>(
                               shape, x.data() + lead, weight.data(), epilogue, true, arranged.data(), nullptr, map));
  } else {
    checker.launched(name, launch_conv_kept_pointwise_wgmma<Tile>(shape, x.data() + lead, weight.data(), epilogue, true,
                                                                  arranged.data(), nullptr, map));
  }
  return y.values();
}

template <typename Tile, typename Window, int kCluster = 1>
void check(Checker& checker, const std::string& name, int64_t batch, int64_t in_channels, int64_t height, int64_t width,
           int64_t out_channels, int64_t lead = 0) {
  ConvCase<Window> problem =
      rounded_case<Window>(conv_shape<Window>(batch, in_channels, height, width, out_channels, 1));
  map_wanted(problem);
  checker.close(name, outputs<Tile, Window, kCluster>(checker, name, problem, lead), problem.want, 5e-5);
}

using Small = PointwiseTile<1, 64>;
using Large = PointwiseTile<2, 64>;

void check_points(Checker& checker) {
  check<PointwiseTile<2, 128>, Point>(checker, "ragged channels", 2, 61, 8, 20, 125);
  check<Small, Point>(checker, "places one by one", 7, 40, 7, 7, 33);
  check<PointwiseTile<1, 32>, Point>(checker, "a ring gone round", 1, 301, 9, 60, 16);
  check<PointwiseTile<1, 128>, Point>(checker, "more units than blocks, by slices", 1, 101, 131, 132, 129);
  check<PointwiseTile<2, 96>, Point>(checker, "an input that begins anywhere", 2, 33, 8, 18, 96, 3);
  check<Small, Point, 2>(checker, "two blocks", 2, 133, 8, 10, 70);
  check<Small, Point, 8>(checker, "a block without slices", 3, 200, 4, 8, 61);
}

void check_windows(Checker& checker) {
  check<Small, Three>(checker, "rows of an image", 2, 37, 14, 14, 70);
  check<Small, Three>(checker, "images of a tile", 5, 33, 7, 7, 64);
  check<Large, Three>(checker, "rows of several tiles", 1, 5, 3, 300, 33);
  check<Small, Three>(checker, "copied by four", 2, 40, 9, 32, 61);
  check<Small, Three>(checker, "a window that begins anywhere", 1, 34, 6, 16, 64, 3);
  check<Small, Inner>(checker, "no padding", 2, 35, 10, 13, 40);
  check<Small, Halved>(checker, "stride two", 2, 34, 15, 15, 66);
  check<Small, Halved>(checker, "stride two, copied by four", 3, 33, 12, 8, 20);
  check<Small, Flat>(checker, "one row of taps", 3, 40, 1, 50, 30);
  check<Small, Tall>(checker, "one column of taps", 2, 33, 5, 8, 30);
  check<PointwiseTile<2, 128>, Three>(checker, "128 channels", 1, 64, 16, 16, 128);
  check<PointwiseTile<1, 32>, Three, 4>(checker, "four blocks of windows", 1, 150, 8, 14, 32);
}

template <typename Window>
void check_depthwise(Checker& checker, const std::string& name, const ConvShape& shape) {
  ConvCase<Window> problem = rounded_case<Window>(shape);
  map_wanted(problem);
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats least(least_of(shape.in_channels));
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelEpilogue<PixelBiasStore> epilogue{
      {y.data(), bias.data(), shape.out_channels, pixels}, shape.out_height, shape.out_width};
  checker.launched(
      name, launch_conv_depthwise<Window>(shape, x.data(), weight.data(), epilogue, nullptr, AtLeast{least.data()}));
  checker.close(name, y.values(), problem.want, 1e-5);
}

void check_depthwise(Checker& checker) {
  check_depthwise<Three>(checker, "depthwise", conv_shape<Three>(2, 9, 7, 11, 18, 9));
  check_depthwise<Halved>(checker, "depthwise in steps of two", conv_shape<Halved>(3, 5, 9, 8, 5, 5));
  check_depthwise<Three>(checker, "depthwise by rows", conv_shape<Three>(1, 33, 130, 131, 33, 33));
}

// Infinities and NaN are what plain arithmetic makes of them, and so are elements that rounding would make infinite.
template <typename Window, int kCluster>
void check_non_finite(Checker& checker) {
  ConvCase<Window> problem = rounded_case<Window>(conv_shape<Window>(2, 70, 9, 11, 19, 1));
  problem.x[7] = INFINITY;
  problem.x[8] = -INFINITY;
  problem.x[99 * 80] = NAN;
  problem.x[99 * 3 + 50] = 3.4028234e38f;
  problem.weight[31] = -INFINITY;
  map_wanted(problem);
  const std::string name = std::to_string(Window::taps) + " taps, infinities, " + std::to_string(kCluster) + " blocks";
  checker.close(name, outputs<Small, Window, kCluster>(checker, name, problem, 0), problem.want, 5e-5);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_points(checker);
  check_windows(checker);
  check_depthwise(checker);
  check_non_finite<Point, 1>(checker);
  check_non_finite<Point, 2>(checker);
  check_non_finite<Three, 1>(checker);
  check_non_finite<Three, 2>(checker);
  return checker.finish();
}
