// SPDX-License-Identifier: Apache-2.0
// Convolutions that also take count, mean and squared deviations of what they store: ragged rows and patches, rows of a
// channel and of some channels of an image, means far from zero, and what is not finite.
#include "conv_support.cuh"
#include "kernels/conv/direct_fp16_moments.cuh"
#include "kernels/conv/direct_rows_moments.cuh"
#include "kernels/conv/patch_group_moments.cuh"
#include "kernels/conv/patch_moments.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

struct AddBias {
  const float* bias;

  __device__ float operator()(int64_t, int64_t channel, int64_t, float sum) const { return sum + bias[channel]; }
};

struct StorePixels {
  float* y;
  int64_t channels;
  int64_t pixels;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const Lanes<float, kLanes>& values) const {
    store_float_lanes(y + (n * channels + channel) * pixels + pixel, values);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

struct StoreTotal {
  float* mean;
  float* variance;
  float* count;

  __device__ void operator()(int64_t row, const WelfordAccumulator& total) const {
    mean[row] = total.mean;
    variance[row] = total.variance(0.0f);
    count[row] = total.count;
  }
};

struct Moments {
  std::vector<double> means;
  std::vector<double> variances;
  std::vector<double> counts;

  template <typename Rows>
  Moments(const ConvShape& shape, const Rows& rows, const std::vector<double>& y)
      : means(static_cast<size_t>(rows.count(shape)), 0.0), variances(means), counts(means) {
    const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
    const auto row_of = [&](size_t i) {
      const int64_t plane = static_cast<int64_t>(i) / pixels;
      return static_cast<size_t>(rows.by_image ? plane / rows.channels : plane % shape.out_channels);
    };
    for (size_t i = 0; i < y.size(); ++i) {
      means[row_of(i)] += y[i];
      counts[row_of(i)] += 1;
    }
    for (size_t row = 0; row < means.size(); ++row) {
      means[row] /= counts[row];
    }
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t row = row_of(i);
      variances[row] += (y[i] - means[row]) * (y[i] - means[row]) / counts[row];
    }
  }
};

// Outputs, counts and means, and variances in parts of what they should be. launch(x, weight, element, epilogue,
// vectorised, store, scratch)
template <typename Window, typename Rows, typename Launch>
void check_launch(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Rows& rows,
                  int64_t scratch_bytes, const Launch& launch) {
  const ConvShape& shape = problem.shape;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(std::vector<float>(problem.want.size(), NAN));
  const std::vector<float> nothing(static_cast<size_t>(rows.count(shape)), NAN);
  const DeviceFloats mean(nothing);
  const DeviceFloats variance(nothing);
  const DeviceFloats count(nothing);
  const DeviceFloats scratch(std::vector<float>(static_cast<size_t>(scratch_bytes / 4), NAN));
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  checker.launched(
      name, launch(x.data(), weight.data(), AddBias{bias.data()}, StorePixels{y.data(), shape.out_channels, pixels},
                   pixels % 4 == 0, StoreTotal{mean.data(), variance.data(), count.data()}, scratch.data()));
  const Moments want(shape, rows, problem.want);
  checker.close(name, y.values(), problem.want, 1e-5);
  checker.close(name + ", counts", count.values(), want.counts, 0);
  checker.close(name + ", means", mean.values(), want.means, 1e-6);
  std::vector<float> shares = variance.values();
  std::vector<double> ones(shares.size(), 1.0);
  for (size_t row = 0; row < shares.size(); ++row) {
    const bool is_finite = std::isfinite(want.variances[row]);
    shares[row] = is_finite ? static_cast<float>(shares[row] / want.variances[row]) : shares[row];
    ones[row] = is_finite ? 1.0 : NAN;
  }
  checker.close(name + ", variances", shares, ones, 2e-5);
}

template <typename Tile, typename Window, typename Rows = ChannelRows>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Rows& rows) {
  const ConvShape& shape = problem.shape;
  check_launch(checker, name, problem, rows, direct_rows_moments_bytes<Tile>(shape, rows.by_image),
               [&](const float* x, const float* weight, const auto& element, const auto& epilogue, bool vectorised,
                   const auto& store, void* scratch) {
                 return launch_conv_direct_rows_moments<Tile, Window>(shape, x, weight, element, epilogue, vectorised,
                                                                      store, rows, scratch, nullptr);
               });
}

template <typename Tile, typename Window, typename Rows = ChannelRows>
void check(Checker& checker, const std::string& name, const ConvShape& shape, const Rows& rows = {}) {
  check<Tile, Window>(checker, name, ConvCase<Window>(shape), rows);
}

template <typename Policy, typename Tile, typename Window, typename Rows = ChannelRows>
void check_patch(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Rows& rows) {
  const ConvShape& shape = problem.shape;
  check_launch(checker, name, problem, rows, patch_moments_bytes<Policy, Tile, Window>(shape, rows.by_image),
               [&](const float* x, const float* weight, const auto& element, const auto& epilogue, bool vectorised,
                   const auto& store, void* scratch) {
                 return launch_conv_patch_moments<Policy, Tile, Window>(shape, x, weight, element, epilogue, vectorised,
                                                                        store, rows, scratch, nullptr);
               });
}

// Operands of eleven significant bits, whose products are exact.
template <typename Window>
ConvCase<Window> rounded_case(const ConvShape& shape) {
  ConvCase<Window> problem(shape);
  for (auto* const values : {&problem.x, &problem.weight}) {
    for (float& value : *values) {
      value = std::round(value * 1024) / 1024;
    }
  }
  problem.want = reference<Window>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  return problem;
}

template <typename Tile, typename Window, typename Rows = ChannelRows>
void check_patches(Checker& checker, const std::string& name, const ConvShape& shape, const Rows& rows = {}) {
  const ConvCase<Window> rounded = rounded_case<Window>(shape);
  check_patch<Tf32, Tile, Window>(checker, name + " tf32", rounded, rows);
  check_patch<ScaledFp16, Tile, Window>(checker, name + " fp16", rounded, rows);
}

template <typename Tile, typename Window, typename Rows = ChannelRows>
void check_groups(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Rows& rows = {},
                  int blocks = 4) {
  const ConvShape& shape = problem.shape;
  check_launch(checker, name, problem, rows, patch_group_moments_bytes<Tile, Window>(shape, rows.by_image),
               [&](const float* x, const float* weight, const auto& element, const auto& epilogue, bool vectorised,
                   const auto& store, void* scratch) {
                 return launch_conv_patch_group_moments<Tile, Window>(shape, x, weight, element, epilogue, vectorised,
                                                                      store, rows, scratch, nullptr, blocks);
               });
}

template <typename Tile, typename Window, typename Rows = ChannelRows>
void check_halves(Checker& checker, const std::string& name, const ConvCase<Window>& problem, const Rows& rows = {}) {
  const ConvShape& shape = problem.shape;
  check_launch(checker, name, problem, rows, direct_fp16_moments_bytes<Tile, Window>(shape, rows.by_image),
               [&](const float* x, const float* weight, const auto& element, const auto& epilogue, bool vectorised,
                   const auto& store, void* scratch) {
                 return launch_conv_direct_fp16_moments<Tile, Window>(shape, x, weight, element, epilogue, vectorised,
                                                                      store, rows, scratch, nullptr);
               });
}

using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;

// Patches that hang over the lower edge, rows that end within a product, products that reach over the ends of rows.
void check_channels(Checker& checker) {
  using Volume = ConvWindow3d<3, 2, 3, 2, 1, 1, 1, 0, 1, 1, 1, 2>;
  using Box = ConvWindow3d<3, 5, 7, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Row = ConvWindow<1, 7, 1, 1, 0, 3, 1, 1>;
  check<DirectRowsTile<2, 8, 1, 4>, Valid>(checker, "even rows", conv_shape<Valid>(2, 8, 1, 16, 32, 64, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Valid>(checker, "odd rows", conv_shape<Valid>(3, 7, 1, 9, 37, 70, 1));
  check<DirectRowsTile<2, 8, 1, 4>, Same>(checker, "long rows", conv_shape<Same>(1, 5, 1, 7, 150, 33, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Same>(checker, "narrow", conv_shape<Same>(3, 8, 1, 9, 3, 64, 1));
  check<DirectRowsTile<4, 4, 1, 4>, Same>(checker, "four channels", conv_shape<Same>(2, 3, 1, 18, 34, 64, 1));
  check<DirectRowsTile<2, 8, 2, 2>, Volume>(checker, "volume", conv_shape<Volume>(1, 5, 8, 6, 13, 10, 1));
  check<DirectRowsTile<2, 4, 1, 2>, Box>(checker, "in groups", conv_shape<Box>(1, 3, 4, 9, 24, 64, 1));
  check<DirectRowsTile<2, 4, 1, 1>, Row>(checker, "row", conv_shape<Row>(2, 2, 1, 1, 390, 30, 1));
  check<DirectRowsTile<2, 8, 1, 2>, Same>(checker, "two of a row", conv_shape<Same>(1, 8, 1, 5, 225, 20, 1));
  check<DirectRowsTile<4, 4, 1, 1>, Same>(checker, "many patches", conv_shape<Same>(90, 1, 1, 3, 6, 2, 1));
}

// Images that begin within a block's patches, blocks without patches of an image, several blocks of channels.
void check_images(Checker& checker) {
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  check<DirectRowsTile<2, 8, 1, 4>, Valid>(checker, "groups", conv_shape<Valid>(3, 8, 1, 13, 21, 24, 1), ImageRows{4});
  check<DirectRowsTile<2, 8, 1, 2>, Same>(checker, "each channel", conv_shape<Same>(2, 3, 1, 7, 9, 70, 1),
                                          ImageRows{1});
  check<DirectRowsTile<4, 8, 2, 4>, Cube>(checker, "volumes", conv_shape<Cube>(2, 8, 6, 9, 20, 30, 1), ImageRows{15});
  check<DirectRowsTile<4, 4, 1, 1>, Same>(checker, "images begin within", conv_shape<Same>(100, 1, 1, 3, 6, 2, 1),
                                          ImageRows{2});
  check<DirectRowsTile<4, 4, 1, 4>, Same>(checker, "images in one block", conv_shape<Same>(300, 1, 1, 3, 3, 2, 1),
                                          ImageRows{1});
}

// Means of -1000 beside deviations of one: squares of such values hold nothing of the deviations.
void check_far(Checker& checker) {
  ConvCase<Same> problem(conv_shape<Same>(3, 4, 1, 19, 37, 66, 1));
  for (size_t i = 0; i < problem.bias.size(); ++i) {
    problem.bias[i] = i % 3 == 0 ? -1000.0f : 1000.0f + problem.bias[i];
  }
  problem.want = reference<Same>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check<DirectRowsTile<2, 4, 1, 4>, Same>(checker, "far", problem, ChannelRows{});
  check<DirectRowsTile<2, 4, 1, 4>, Same>(checker, "far, by image", problem, ImageRows{1});
}

// What is not finite in one image leaves the others' rows as they are; what fp16 does not hold is summed up again.
void check_not_finite(Checker& checker) {
  const ConvShape shape = conv_shape<Same>(3, 2, 1, 10, 21, 18, 1);
  const auto changed = [&](const char* name, const auto& change) {
    ConvCase<Same> problem(shape);
    change(problem);
    problem.want = reference<Same>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
    check<DirectRowsTile<2, 4, 1, 4>, Same>(checker, std::string(name) + ", by image", problem, ImageRows{3});
    check<DirectRowsTile<2, 8, 1, 4>, Same>(checker, name, problem, ChannelRows{});
  };
  changed("NaN", [](auto& problem) { problem.x[500] = NAN; });
  changed("NaN of a channel", [](auto& problem) { problem.bias[7] = NAN; });
  changed("beyond fp16's scales", [](auto& problem) {
    for (size_t i = 0; i < problem.x.size(); ++i) {
      problem.x[i] *= i % 21 < 10 ? 0x1p-70f : 1.0f;
    }
  });
}

// All phases of transposed convolutions, several tiles of channels, groups, lines that end within a warp.
void check_from_patches(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  using Cubes = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  using Wide = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  using Steps = ConvWindow<3, 5, 2, 1, 1, 2, 1, 2>;
  check_patches<PatchTile<2, 4>, Twice>(checker, "twice", conv_shape<Twice>(2, 5, 6, 37, 40, 1));
  check_patches<PatchTile<1, 4>, Cubes>(checker, "cubes", conv_shape<Cubes>(2, 3, 3, 5, 18, 16, 1));
  check_patches<PatchTile<1, 4>, Cubes>(checker, "cubes, by image", conv_shape<Cubes>(3, 3, 3, 5, 18, 12, 1),
                                        ImageRows{4});
  check_patches<PatchTile<1, 4>, Wide>(checker, "groups", conv_shape<Wide>(2, 6, 1, 5, 6, 10, 2, 1));
  check_patches<PatchTile<4, 4>, Steps>(checker, "strides", conv_shape<Steps>(3, 9, 1, 12, 45, 70, 1));
  check_patches<PatchTile<4, 4>, Steps>(checker, "strides, by image", conv_shape<Steps>(3, 9, 1, 12, 45, 70, 1),
                                        ImageRows{35});
  check_patches<PatchTile<2, 8, 1>, Same>(checker, "rows", conv_shape<Same>(2, 7, 1, 5, 90, 30, 1));
  check_patches<PatchTile<1, 4>, Threes>(checker, "many patches", conv_shape<Threes>(700, 1, 1, 2, 3, 3, 1),
                                         ImageRows{1});
  const ConvShape shape = conv_shape<Threes>(3, 4, 1, 5, 9, 20, 1);
  ConvCase<Threes> problem(shape);
  problem.x[3] = NAN;
  problem.bias[4] = NAN;
  problem.bias[5] = -1000;
  problem.want = reference<Threes>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check_patch<Tf32x3, PatchTile<2, 4>, Threes>(checker, "not finite", problem, ImageRows{1});
}

// Tiles that hang over, lines and their phases, places of several outputs, each way of storing.
void check_by_groups(Checker& checker) {
  using Twos = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  using Threes = Transposed<ConvWindow<3, 3, 3, 3, 0, 0, 1, 1>>;
  using Cube = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  using Back = Transposed<ConvWindow3d<3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1>>;
  using Row = ConvWindow<1, 7, 1, 1, 0, 3, 1, 1>;
  check_groups<GroupTile<16, 4>>(checker, "by four", rounded_case<Same>(conv_shape<Same>(2, 33, 17, 36, 70, 1)));
  check_groups<GroupTile<32, 2>>(checker, "singly", rounded_case<Same>(conv_shape<Same>(3, 16, 9, 37, 20, 1)));
  check_groups<GroupTile<64, 2>>(checker, "by two", rounded_case<Valid>(conv_shape<Valid>(1, 16, 12, 52, 23, 1)));
  check_groups<GroupTile<16, 4>>(checker, "by image", rounded_case<Valid>(conv_shape<Valid>(3, 17, 20, 36, 72, 1)),
                                 ImageRows{24}, 3);
  check_groups<GroupTile<256, 2>>(checker, "a line", rounded_case<Row>(conv_shape<Row>(2, 17, 1, 1100, 33, 1)));
  check_groups<GroupTile<128, 4, 128>>(checker, "phases",
                                       rounded_case<Twos>(conv_shape<Twos>(2, 41, 1, 17, 33, 24, 1)));
  check_groups<GroupTile<64, 4, 64>>(checker, "three phases",
                                     rounded_case<Threes>(conv_shape<Threes>(1, 32, 1, 5, 21, 64, 1)));
  check_groups<GroupTile<128, 4, 128>>(checker, "phases of a cube, by image",
                                       rounded_case<Cube>(conv_shape<Cube>(2, 32, 3, 4, 8, 70, 1, 1)), ImageRows{35},
                                       5);
  check_groups<GroupTile<16, 2, 256, 2, 2>>(checker, "fours",
                                            rounded_case<Back>(conv_shape<Back>(2, 16, 5, 33, 9, 12, 1)));
  check_groups<GroupTile<16, 2, 256, 2, 2>>(checker, "fours, by image",
                                            rounded_case<Back>(conv_shape<Back>(2, 16, 5, 33, 9, 12, 1)), ImageRows{3});
  ConvCase<Same> problem = rounded_case<Same>(conv_shape<Same>(3, 20, 13, 19, 20, 1));
  problem.x[300] = NAN;
  problem.bias[3] = -1000;
  problem.want = reference<Same>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check_groups<GroupTile<16, 2>>(checker, "not finite, by groups", problem, ImageRows{1});
}

// Lines that end within a warp, second lines below and beside, warps that share channels, strides.
void check_by_halves(Checker& checker) {
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>;
  using Steps = ConvWindow<3, 5, 2, 2, 1, 2, 1, 1>;
  check_halves<DirectFp16Tile<2, 1, 1, 8, 8, 1, 8, 2>>(checker, "halves",
                                                       ConvCase<Valid>(conv_shape<Valid>(2, 8, 1, 19, 45, 30, 1)));
  check_halves<DirectFp16Tile<1, 1, 2, 8, 4, 1, 16, 1>>(checker, "two lines",
                                                        ConvCase<Same>(conv_shape<Same>(3, 3, 1, 19, 37, 13, 1)));
  check_halves<DirectFp16Tile<1, 1, 2, 8, 4, 1, 4, 2>>(checker, "lines beside",
                                                       ConvCase<Same>(conv_shape<Same>(1, 3, 1, 9, 75, 16, 1)));
  check_halves<DirectFp16Tile<2, 2, 1, 16, 8, 1, 8, 1>>(checker, "shared channels",
                                                        ConvCase<Steps>(conv_shape<Steps>(2, 5, 1, 19, 70, 70, 1)));
  check_halves<DirectFp16Tile<1, 1, 2, 8, 4, 2, 4, 1>>(
      checker, "halves of volumes, by image", ConvCase<Cube>(conv_shape<Cube>(3, 3, 6, 8, 35, 16, 1)), ImageRows{2});
  check_halves<DirectFp16Tile<2, 1, 1, 8, 8, 1, 2, 1>>(
      checker, "halves of many images", ConvCase<Same>(conv_shape<Same>(500, 1, 1, 3, 5, 4, 1)), ImageRows{2});
  ConvCase<Same> problem(conv_shape<Same>(3, 4, 1, 11, 37, 20, 1));
  problem.x[5] = NAN;
  problem.bias[3] = -1000;
  for (size_t i = 0; i < 300; ++i) {
    problem.x[i + 2000] *= i % 2 == 0 ? 0x1p-70f : 1.0f;
  }
  problem.want = reference<Same>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check_halves<DirectFp16Tile<2, 1, 1, 8, 4, 1, 8, 1>>(checker, "not finite, by halves", problem, ImageRows{1});
  check_halves<DirectFp16Tile<1, 1, 2, 8, 4, 1, 8, 1>>(checker, "not finite, by halves of two lines", problem,
                                                       ImageRows{5});
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_channels(checker);
  check_images(checker);
  check_far(checker);
  check_not_finite(checker);
  check_from_patches(checker);
  check_by_groups(checker);
  check_by_halves(checker);
  return checker.finish();
}
