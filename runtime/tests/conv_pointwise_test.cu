// SPDX-License-Identifier: Apache-2.0
// Convolutions of one tap by wgmma: ragged channels and places, images that begin anywhere in a tile, weights that a
// block keeps and such that come slice by slice, more units than blocks, infinities; in fp32's class groups of odd
// sizes.
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/pointwise_cluster.cuh"
#include "kernels/conv/pointwise_tf32x3.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

using Point = ConvWindow<1, 1, 1, 1, 0, 0, 1, 1>;
using PointOfVolume = ConvWindow3d<1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1>;

// lead: elements before the input. kCluster: blocks that share the input channels.
template <typename Tile, int kCluster, typename Window>
std::vector<float> outputs(Checker& checker, const std::string& name, const ConvCase<Window>& problem, int64_t lead) {
  const ConvShape& shape = problem.shape;
  std::vector<float> input(static_cast<size_t>(lead), NAN);
  input.insert(input.end(), problem.x.begin(), problem.x.end());
  const DeviceFloats x(input);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(pointwise_detail::WeightBlocks(shape, Tile::channels).bytes(Tile::channels, Tile::parts) /
                             int64_t{sizeof(float)});
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(name, launch_arrange_pointwise<Tile>(shape, weight.data(), scratch.data(), nullptr));
  if constexpr (Tile::parts == 2) {
    checker.launched(name, launch_conv_kept_pointwise_tf32x3<Tile>(shape, x.data() + lead, weight.data(), epilogue,
                                                                   pixels % 4 == 0, scratch.data(), nullptr));
  } else if constexpr (kCluster > 1) {
    checker.launched(name,
                     launch_conv_kept_pointwise_cluster<Tile, kCluster>(shape, x.data() + lead, weight.data(), epilogue,
                                                                        pixels % 4 == 0, scratch.data(), nullptr));
  } else {
    checker.launched(name, launch_conv_kept_pointwise_wgmma<Tile>(shape, x.data() + lead, weight.data(), epilogue,
                                                                  pixels % 4 == 0, scratch.data(), nullptr));
  }
  return y.values();
}

template <typename Tile, typename Window = Point, int kCluster = 1>
void check(Checker& checker, const std::string& name, const ConvShape& shape, int64_t lead = 0) {
  const ConvCase<Window> problem = rounded_case<Window>(shape);
  checker.close(name, outputs<Tile, kCluster>(checker, name, problem, lead), problem.want, 1e-5);
}

ConvShape point_shape(int64_t batch, int64_t in_channels, int64_t height, int64_t width, int64_t out_channels) {
  return conv_shape<Point>(batch, in_channels, height, width, out_channels, 1);
}

template <int kChannels>
void check_width(Checker& checker) {
  const std::string name = std::to_string(kChannels) + " channels";
  check<PointwiseTile<2, kChannels>>(checker, name, point_shape(2, 61, 8, 20, kChannels - 3));
}

void check_widths(Checker& checker) {
  check_width<16>(checker);
  check_width<32>(checker);
  check_width<64>(checker);
  check_width<96>(checker);
  check_width<128>(checker);
  check_width<192>(checker);
}

void check_places(Checker& checker) {
  check<PointwiseTile<1, 16>>(checker, "images within a tile", point_shape(5, 9, 4, 11, 21));
  check<PointwiseTile<2, 32>>(checker, "places one by one", point_shape(7, 40, 7, 7, 33));
  check<PointwiseTile<1, 64>>(checker, "few places one by one", point_shape(1, 3, 3, 3, 5));
  check<PointwiseTile<2, 16>>(checker, "an input that begins anywhere", point_shape(2, 33, 8, 18, 16), 3);
  check<PointwiseTile<1, 32>, PointOfVolume>(checker, "volume", conv_shape<PointOfVolume>(2, 34, 3, 5, 8, 40, 1));
}

void check_depths(Checker& checker) {
  check<PointwiseTile<2, 16>>(checker, "a ring gone round", point_shape(1, 301, 9, 60, 16));
  check<PointwiseTile<2, 192>>(checker, "weights by slices", point_shape(1, 192, 12, 24, 200));
  check<PointwiseTile<1, 128>>(checker, "weights by slices of few places", point_shape(3, 131, 8, 9, 130));
  check<PointwiseTile<1, 16>>(checker, "more units than blocks", point_shape(1, 5, 139, 140, 35));
  check<PointwiseTile<1, 128>>(checker, "more units than blocks, by slices", point_shape(1, 101, 131, 132, 129));
}

template <int kChannels, int kCluster>
void check_cluster(Checker& checker, const std::string& what, const ConvShape& shape, int64_t lead = 0) {
  check<PointwiseTile<1, kChannels>, Point, kCluster>(checker, std::to_string(kCluster) + " blocks, " + what, shape,
                                                      lead);
}

// A part of the ring's round, more than one, and blocks for which no slice is left.
void check_clusters(Checker& checker) {
  check_cluster<64, 2>(checker, "ragged slices", point_shape(2, 133, 8, 10, 70));
  check_cluster<64, 4>(checker, "a ring gone round", point_shape(1, 801, 9, 12, 64));
  check_cluster<64, 8>(checker, "a block without slices", point_shape(3, 200, 4, 8, 61));
  check_cluster<128, 2>(checker, "many channels", point_shape(1, 97, 12, 12, 200));
  check_cluster<128, 8>(checker, "one slice in all", point_shape(1, 9, 5, 4, 128));
  check_cluster<128, 4>(checker, "places one by one", point_shape(5, 260, 7, 7, 99));
  check_cluster<64, 4>(checker, "an input that begins anywhere", point_shape(2, 129, 8, 18, 33), 3);
}

// Infinities and NaN are what plain arithmetic makes of them, and so are elements that rounding would make infinite.
void check_non_finite(Checker& checker) {
  for (const int64_t width : {20, 19}) {
    ConvCase<Point> problem = rounded_case<Point>(point_shape(2, 9, 8, width, 19));
    problem.x[7] = INFINITY;
    problem.x[static_cast<size_t>(width * 8 * 9 + 90)] = NAN;
    problem.x[static_cast<size_t>(width * 8 + 150)] = 3.4028234e38f;
    problem.weight[31] = -INFINITY;
    problem.want = reference<Point>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    const std::string name = "infinities " + std::to_string(width);
    checker.close(name, outputs<PointwiseTile<1, 32>, 1>(checker, name, problem, 0), problem.want, 1e-5);
    checker.close(name + " in a cluster", outputs<PointwiseTile<1, 64>, 4>(checker, name, problem, 0), problem.want,
                  1e-5);
  }
}

// Of fp32's class: operands have all their bits.
template <int kGroups, int kChannels, typename Window = Point>
void check_exact(Checker& checker, const std::string& what, const ConvShape& shape, int64_t lead = 0) {
  const ConvCase<Window> problem(shape);
  const std::string name = "exact, " + what;
  checker.close(name, outputs<PointwiseTile<kGroups, kChannels, 2>, 1>(checker, name, problem, lead), problem.want,
                5e-6);
}

ConvShape grouped_shape(int64_t batch, int64_t in_of_group, int64_t height, int64_t width, int64_t out_of_group,
                        int64_t groups) {
  return conv_shape<Point>(batch, groups * in_of_group, height, width, groups * out_of_group, groups);
}

void check_groups(Checker& checker) {
  check_exact<1, 32>(checker, "few channels", grouped_shape(2, 8, 8, 20, 20, 3));
  check_exact<1, 40>(checker, "slices that are not full", grouped_shape(1, 80, 12, 12, 40, 3));
  check_exact<2, 40>(checker, "several blocks of a group", grouped_shape(2, 33, 8, 18, 97, 2), 3);
  check_exact<1, 64>(checker, "places one by one", grouped_shape(5, 37, 7, 7, 61, 3));
  check_exact<2, 64>(checker, "two warpgroups, one by one", grouped_shape(7, 35, 7, 7, 50, 2));
  check_exact<1, 80>(checker, "weights by slices", grouped_shape(2, 161, 8, 10, 85, 2));
  check_exact<2, 80>(checker, "one group", point_shape(3, 301, 8, 9, 79));
  check_exact<1, 32>(checker, "more units than blocks", grouped_shape(1, 5, 139, 140, 9, 7));
  check_exact<1, 80, PointOfVolume>(checker, "volume", conv_shape<PointOfVolume>(2, 34, 3, 5, 8, 180, 2));
}

// Of nothing it makes something.
struct RaisedByChannel {
  const float* by;

  __device__ float operator()(int64_t channel, float value) const { return value + by[channel]; }
};

template <int kGroups, int kChannels>
void check_exact_map(Checker& checker, const std::string& what, const ConvShape& shape) {
  ConvCase<Point> problem(shape);
  const std::string name = "exact and mapped, " + what;
  using Tile = PointwiseTile<kGroups, kChannels, 2>;
  const std::vector<float> by = random_floats(shape.in_channels, 4);
  const DeviceFloats raised(by), x(problem.x), weight(problem.weight), bias(problem.bias), y(problem.outputs());
  const int64_t pixels = shape.height * shape.width;
  for (size_t i = 0; i < problem.x.size(); ++i) {
    problem.x[i] += by[i / static_cast<size_t>(pixels) % by.size()];
  }
  problem.want = reference<Point>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  const DeviceFloats arranged(pointwise_detail::WeightBlocks(shape, Tile::channels).bytes(Tile::channels, 2) /
                              int64_t{sizeof(float)});
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(name, launch_arrange_pointwise<Tile>(shape, weight.data(), arranged.data(), nullptr));
  checker.launched(name,
                   launch_conv_kept_pointwise_tf32x3<Tile>(shape, x.data(), weight.data(), epilogue, pixels % 4 == 0,
                                                           arranged.data(), nullptr, RaisedByChannel{raised.data()}));
  checker.close(name, y.values(), problem.want, 5e-6);
}

void check_exact_maps(Checker& checker) {
  check_exact_map<1, 40>(checker, "groups", grouped_shape(2, 37, 8, 9, 38, 3));
  check_exact_map<2, 64>(checker, "places one by one", grouped_shape(3, 33, 7, 7, 60, 2));
}

// The larger part of the greatest floats is infinite, and the smaller ones of the least are no normal numbers.
void check_exact_extremes(Checker& checker) {
  for (const int64_t width : {20, 19}) {
    ConvCase<Point> problem(grouped_shape(2, 9, 8, width, 19, 3));
    problem.x[7] = INFINITY;
    problem.x[static_cast<size_t>(width * 8 * 27 + 90)] = NAN;
    problem.x[static_cast<size_t>(width * 8 + 150)] = 3.4028234e38f;
    problem.weight[19 * 9 + 31] = -INFINITY;
    for (int64_t i = 0; i < width * 8; ++i) {
      problem.x[static_cast<size_t>(width * 8 * 20 + i)] *= 1e-30f;
      problem.x[static_cast<size_t>(width * 8 * 22 + i)] *= 1e30f;
    }
    problem.want = reference<Point>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    const std::string name = "exact, infinities " + std::to_string(width);
    checker.close(name, outputs<PointwiseTile<1, 32, 2>, 1>(checker, name, problem, 0), problem.want, 1e-5);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_widths(checker);
  check_places(checker);
  check_depths(checker);
  check_clusters(checker);
  check_non_finite(checker);
  check_groups(checker);
  check_exact_maps(checker);
  check_exact_extremes(checker);
  return checker.finish();
}
