// SPDX-License-Identifier: Apache-2.0
// Convolutions from patches of the input whose outputs are joined where they are computed: by windows of a pool, which
// leave out what hangs over the edge, and over channels; infinities and NaN as PyTorch has them.
#include <algorithm>
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/patch_channels.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// Reads what is there alone.
struct AddBias {
  const float* bias;
  ConvShape shape;

  __device__ float operator()(int64_t n, int64_t channel, int64_t z, int64_t y, int64_t x, float sum) const {
    const bool is_there = n < shape.batch && channel < shape.out_channels && z < shape.out_depth &&
                          y < shape.out_height && x < shape.out_width;
    return sum + bias[is_there ? channel : int64_t{1} << 40];
  }
  __device__ float operator()(int64_t n, int64_t channel, int64_t y, int64_t x, float sum) const {
    return (*this)(n, channel, 0, y, x, sum);
  }
};

struct StorePooled {
  float* y;
  int64_t channels;
  PooledExtents pooled;

  __device__ void operator()(int64_t n, int64_t channel, int64_t out_z, int64_t out_y, int64_t out_x,
                             float value) const {
    y[(((n * channels + channel) * pooled.depth + out_z) * pooled.height + out_y) * pooled.width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, channel, 0, out_y, out_x, value);
  }
};

struct StoreReduced {
  float* y;
  ConvShape shape;

  __device__ void operator()(int64_t n, int64_t out_z, int64_t out_y, int64_t out_x, float value) const {
    y[((n * shape.out_depth + out_z) * shape.out_height + out_y) * shape.out_width + out_x] = value;
  }
  __device__ void operator()(int64_t n, int64_t out_y, int64_t out_x, float value) const {
    (*this)(n, 0, out_y, out_x, value);
  }
};

// How many of what is joined, and which.
enum class JoinKind { kLargest, kSmallest, kMean, kLogSumExp };

double joined(const std::vector<double>& values, JoinKind kind) {
  double largest = -INFINITY;
  double smallest = INFINITY;
  double sum = 0;
  for (const double value : values) {
    largest = std::isnan(largest) || value <= largest ? largest : value;
    smallest = std::isnan(smallest) || value >= smallest ? smallest : value;
    sum += value;
  }
  double exponentials = 0;
  for (const double value : values) {
    exponentials += value == largest ? 1 : std::exp(value - largest);
  }
  return kind == JoinKind::kLargest    ? largest
         : kind == JoinKind::kSmallest ? smallest
         : kind == JoinKind::kMean     ? sum / static_cast<double>(values.size())
                                       : largest + std::log(exponentials);
}

template <typename Window>
ConvCase<Window> exact_case(const ConvShape& shape, float scale = 1) {
  ConvCase<Window> problem(shape);
  round_to_tf32(problem.x);
  round_to_tf32(problem.weight);
  for (float& value : problem.x) {
    value *= scale;
  }
  problem.want = reference<Window>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  return problem;
}

std::vector<double> windows_of(const ConvShape& s, const std::vector<double>& outputs, const int (&window)[3],
                               JoinKind kind) {
  const int64_t extents[3] = {s.out_depth, s.out_height, s.out_width};
  std::vector<double> result;
  for (int64_t plane = 0; plane < s.batch * s.out_channels; ++plane) {
    for (int64_t place = 0; place < extents[0] * extents[1] * extents[2]; ++place) {
      const int64_t z = place / extents[2] / extents[1];
      const int64_t y = place / extents[2] % extents[1];
      const int64_t x = place % extents[2];
      if (z % window[0] != 0 || y % window[1] != 0 || x % window[2] != 0 || z + window[0] > extents[0] ||
          y + window[1] > extents[1] || x + window[2] > extents[2]) {
        continue;
      }
      std::vector<double> values;
      for (int i = 0; i < window[0] * window[1] * window[2]; ++i) {
        const int64_t at_z = z + i / window[2] / window[1];
        const int64_t at_y = y + i / window[2] % window[1];
        values.push_back(outputs[static_cast<size_t>(((plane * extents[0] + at_z) * extents[1] + at_y) * extents[2] +
                                                     x + i % window[2])]);
      }
      result.push_back(joined(values, kind));
    }
  }
  return result;
}

std::vector<double> channels_of(const ConvShape& s, const std::vector<double>& outputs, JoinKind kind) {
  const int64_t plane = s.out_depth * s.out_height * s.out_width;
  std::vector<double> result;
  for (int64_t place = 0; place < s.batch * plane; ++place) {
    std::vector<double> values;
    for (int64_t channel = 0; channel < s.out_channels; ++channel) {
      values.push_back(
          outputs[static_cast<size_t>((place / plane * s.out_channels + channel) * plane + place % plane)]);
    }
    result.push_back(joined(values, kind));
  }
  return result;
}

// What a launch reads, and where it may write.
template <typename Policy, typename Tile, typename Run, typename Window>
struct OnDevice {
  DeviceFloats x;
  DeviceFloats weight;
  DeviceFloats bias;
  DeviceFloats y;
  DeviceFloats scratch;

  OnDevice(const ConvCase<Window>& problem, size_t outputs)
      : x(problem.x),
        weight(problem.weight),
        bias(problem.bias),
        y(static_cast<int64_t>(outputs)),
        scratch(patch_detail::PatchScratch<Policy, Run>(problem.shape, Tile::tiles_m).bytes / int64_t{sizeof(float)}) {}
};

template <typename Policy, typename Tile, typename Run, typename Join, int kDepth, int kHeight, int kWidth,
          typename Window>
void check_windows(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  const ConvShape& shape = problem.shape;
  const std::vector<double> want =
      windows_of(shape, problem.want, {kDepth, kHeight, kWidth},
                 std::is_same_v<Join, LargestOfWindow> ? JoinKind::kLargest : JoinKind::kMean);
  const OnDevice<Policy, Tile, Run, Window> device(problem, want.size());
  const PooledExtents pooled{shape.out_depth / kDepth, shape.out_height / kHeight, shape.out_width / kWidth};
  checker.launched(name, launch_conv_patch_pool<Policy, Tile, Run, Join, kDepth, kHeight, kWidth>(
                             shape, device.x.data(), device.weight.data(), AddBias{device.bias.data(), shape},
                             StorePooled{device.y.data(), shape.out_channels, pooled}, pooled,
                             static_cast<float>(kDepth * kHeight * kWidth), device.scratch.data(), nullptr));
  checker.close(name, device.y.values(), want, 1e-5);
}

template <typename Policy, typename Tile, typename Run, typename Join, typename Window>
void check_channels(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  const ConvShape& shape = problem.shape;
  const JoinKind kind = std::is_same_v<Join, LargestOfChannels>    ? JoinKind::kLargest
                        : std::is_same_v<Join, SmallestOfChannels> ? JoinKind::kSmallest
                        : std::is_same_v<Join, MeanOfChannels>     ? JoinKind::kMean
                                                                   : JoinKind::kLogSumExp;
  const std::vector<double> want = channels_of(shape, problem.want, kind);
  const OnDevice<Policy, Tile, Run, Window> device(problem, want.size());
  checker.launched(name, launch_conv_patch_channels<Policy, Tile, Run, Join>(
                             shape, device.x.data(), device.weight.data(), AddBias{device.bias.data(), shape},
                             StoreReduced{device.y.data(), shape}, static_cast<float>(shape.out_channels),
                             device.scratch.data(), nullptr));
  checker.close(name, device.y.values(), want, 1e-5);
}

// Of more channels than a tile has.
template <typename Policy, typename Tile, typename Join, typename Window>
void check_parts(Checker& checker, const std::string& name, const ConvCase<Window>& problem, JoinKind kind) {
  const ConvShape& shape = problem.shape;
  const std::vector<double> want = channels_of(shape, problem.want, kind);
  const OnDevice<Policy, Tile, Window, Window> device(problem, want.size());
  const DeviceFloats parts(ceil_divide(shape.out_channels, Tile::channels) * static_cast<int64_t>(want.size()));
  checker.launched(name, launch_conv_patch_channel_parts<Policy, Tile, Window, Join>(
                             shape, device.x.data(), device.weight.data(), AddBias{device.bias.data(), shape},
                             StoreReduced{device.y.data(), shape}, static_cast<float>(shape.out_channels),
                             device.scratch.data(), parts.data(), nullptr));
  checker.close(name, device.y.values(), want, 1e-5);
}

// One product of exact operands, and three of drawn ones.
template <typename Tile, typename Join, int kDepth, int kHeight, int kWidth, typename Window, typename Run = Window>
void check_all_windows(Checker& checker, const std::string& name, const ConvShape& shape) {
  const ConvCase<Window> exact = exact_case<Window>(shape);
  check_windows<Tf32, Tile, Run, Join, kDepth, kHeight, kWidth>(checker, name + " tf32", exact);
  check_windows<ScaledFp16, Tile, Run, Join, kDepth, kHeight, kWidth>(checker, name + " fp16", exact);
  check_windows<Tf32x3, Tile, Run, Join, kDepth, kHeight, kWidth>(checker, name + " tf32x3", ConvCase<Window>(shape));
}

template <typename Tile, typename Join, typename Window, typename Run = Window>
void check_all_channels(Checker& checker, const std::string& name, const ConvShape& shape) {
  const ConvCase<Window> exact = exact_case<Window>(shape);
  check_channels<Tf32, Tile, Run, Join>(checker, name + " tf32", exact);
  check_channels<ScaledFp16, Tile, Run, Join>(checker, name + " fp16", exact);
  check_channels<Tf32x3, Tile, Run, Join>(checker, name + " tf32x3", ConvCase<Window>(shape));
}

using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
using Cube2 = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;

void check_windows_of_phases(Checker& checker) {
  check_all_windows<PatchTile<1, 4>, LargestOfWindow, 2, 2, 2, Cube2>(checker, "largest of a cube",
                                                                      conv_shape<Cube2>(2, 3, 3, 5, 37, 20, 1));
  check_all_windows<PatchTile<1, 4>, MeanOfWindow, 2, 2, 2, Cube2>(checker, "mean of a cube",
                                                                   conv_shape<Cube2>(1, 3, 3, 6, 7, 16, 1, 1));
  check_all_windows<PatchTile<1, 2>, LargestOfWindow, 2, 2, 2, Cube2>(checker, "largest of a thin tile",
                                                                      conv_shape<Cube2>(1, 3, 2, 5, 19, 16, 1));
  check_all_windows<PatchTile<1, 4>, LargestOfWindow, 1, 2, 4, Cube2>(checker, "largest of 1x2x4",
                                                                      conv_shape<Cube2>(1, 9, 2, 5, 7, 16, 1));
  check_all_windows<PatchTile<2, 4>, LargestOfWindow, 1, 2, 2, Threes>(checker, "largest of 2x2",
                                                                       conv_shape<Threes>(2, 9, 1, 5, 38, 36, 1));
  check_all_windows<PatchTile<2, 4>, MeanOfWindow, 1, 1, 8, Threes>(checker, "mean of 1x8",
                                                                    conv_shape<Threes>(1, 18, 1, 5, 38, 36, 1));
  check_all_windows<PatchTile<2, 4>, LargestOfWindow, 1, 2, 1, Threes>(checker, "largest of 2x1, groups",
                                                                       conv_shape<Threes>(1, 6, 1, 5, 7, 8, 2, 1));
  using Wide = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  check_all_windows<PatchTile<1, 4>, MeanOfWindow, 1, 2, 3, Wide>(checker, "mean of 2x3",
                                                                  conv_shape<Wide>(2, 6, 1, 5, 6, 10, 1, 1));
}

// Phases that no tap leads to are zero before what follows the sums.
void check_windows_without_taps(Checker& checker) {
  using Sparse = Transposed<ConvWindow<2, 1, 2, 2, 0, 0, 1, 1>>;
  check_all_windows<PatchTile<1, 4>, LargestOfWindow, 1, 2, 2, Sparse>(checker, "phases without taps",
                                                                       conv_shape<Sparse>(1, 5, 1, 5, 19, 16, 1, 1));
  check_all_channels<PatchTile<1, 4>, SmallestOfChannels, Sparse>(checker, "channels without taps",
                                                                  conv_shape<Sparse>(1, 5, 1, 5, 19, 16, 1, 1));
}

void check_windows_of_stacks(Checker& checker) {
  check_all_windows<PatchTile<2, 4>, LargestOfWindow, 1, 2, 2, Same, Stacked<Same, 1, 2>>(
      checker, "two rows", conv_shape<Same>(2, 17, 19, 37, 36, 1));
  check_all_windows<PatchTile<1, 4>, MeanOfWindow, 1, 4, 4, Same, Stacked<Same, 1, 4>>(
      checker, "four rows", conv_shape<Same>(1, 5, 18, 70, 20, 1));
  check_all_windows<PatchTile<1, 4>, MeanOfWindow, 1, 3, 2, Same, Stacked<Same, 1, 3>>(
      checker, "three rows", conv_shape<Same>(1, 5, 14, 38, 20, 1));
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  check_all_windows<PatchTile<2, 4>, LargestOfWindow, 1, 2, 8, Strided, Stacked<Strided, 1, 2>>(
      checker, "two strided rows", conv_shape<Strided>(2, 3, 35, 74, 33, 1));
  using Dilated = ConvWindow3d<3, 3, 3, 1, 1, 1, 2, 1, 1, 2, 1, 1>;
  check_all_windows<PatchTile<1, 4>, LargestOfWindow, 2, 2, 2, Dilated, Stacked<Dilated, 2, 2>>(
      checker, "a cube", conv_shape<Dilated>(1, 9, 5, 9, 13, 20, 1));
  using Back = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 2, 1>>;
  check_all_windows<PatchTile<2, 4>, LargestOfWindow, 1, 2, 2, Back, Stacked<Back, 1, 2>>(
      checker, "transposed rows", conv_shape<Back>(2, 9, 7, 37, 20, 1));
  check_windows<ScaledFp16, PatchTile<2, 4>, Folded<Stacked<Same, 1, 2>, 4>, LargestOfWindow, 1, 2, 2>(
      checker, "folded rows", exact_case<Same>(conv_shape<Same>(2, 3, 11, 37, 36, 1)));
}

void check_reductions(Checker& checker) {
  check_all_channels<PatchTile<1, 4>, LogSumExpOfChannels, Cube2>(checker, "logsumexp of a volume",
                                                                  conv_shape<Cube2>(2, 3, 2, 5, 37, 16, 1));
  check_all_channels<PatchTile<1, 2>, LogSumExpOfChannels, Cube2>(checker, "logsumexp of a thin tile",
                                                                  conv_shape<Cube2>(1, 3, 2, 5, 19, 13, 1, 1));
  check_all_channels<PatchTile<2, 4>, LargestOfChannels, Threes>(checker, "largest of phases",
                                                                 conv_shape<Threes>(1, 9, 1, 5, 6, 27, 1, 1));
  check_all_channels<PatchTile<2, 8>, SmallestOfChannels, Same>(checker, "smallest",
                                                                conv_shape<Same>(2, 17, 9, 70, 30, 1));
  check_all_channels<PatchTile<1, 4>, MeanOfChannels, Same>(checker, "mean", conv_shape<Same>(1, 5, 9, 37, 7, 1));
  check_all_channels<PatchTile<4, 4>, LogSumExpOfChannels, Same>(checker, "logsumexp",
                                                                 conv_shape<Same>(1, 5, 5, 37, 51, 1));
  check_all_channels<PatchTile<2, 4>, MeanOfChannels, Same, Stacked<Same, 1, 2>>(checker, "mean of two rows",
                                                                                 conv_shape<Same>(1, 5, 7, 37, 20, 1));
  // Exponentials that no float holds.
  check_channels<Tf32, PatchTile<1, 4>, Same, LogSumExpOfChannels>(
      checker, "logsumexp of large values", exact_case<Same>(conv_shape<Same>(1, 5, 5, 37, 12, 1), 64));
}

void check_reductions_in_parts(Checker& checker) {
  const ConvCase<Threes> phases = exact_case<Threes>(conv_shape<Threes>(2, 9, 1, 5, 38, 43, 1, 1));
  check_parts<Tf32, PatchTile<1, 4>, SmallestOfChannels>(checker, "least of parts", phases, JoinKind::kSmallest);
  check_parts<ScaledFp16, PatchTile<2, 4>, LogSumExpOfChannels>(checker, "logsumexp of parts", phases,
                                                                JoinKind::kLogSumExp);
  check_parts<Tf32x3, PatchTile<1, 4>, MeanOfChannels>(checker, "mean of parts", phases, JoinKind::kMean);
  ConvCase<Threes> infinite = phases;
  infinite.x[700] = -INFINITY;
  infinite.weight[5] = NAN;
  infinite.want = reference<Threes>(infinite.shape, infinite.x.data(), infinite.weight.data(), infinite.bias.data());
  check_parts<Tf32, PatchTile<1, 4>, SmallestOfChannels>(checker, "least of infinite parts", infinite,
                                                         JoinKind::kSmallest);
  check_parts<Tf32, PatchTile<1, 4>, LogSumExpOfChannels>(checker, "logsumexp of infinite parts", infinite,
                                                          JoinKind::kLogSumExp);
}

// What is not finite in an operand or in a bias.
template <typename Policy>
void check_non_finite(Checker& checker, const std::string& policy) {
  ConvCase<Threes> problem = exact_case<Threes>(conv_shape<Threes>(1, 9, 1, 4, 5, 14, 1, 1));
  problem.x[7] = INFINITY;
  problem.x[90] = NAN;
  problem.weight[11] = -INFINITY;
  const auto renew = [&] {
    problem.want = reference<Threes>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  };
  renew();
  check_windows<Policy, PatchTile<1, 4>, Threes, LargestOfWindow, 1, 2, 2>(checker, "infinite window " + policy,
                                                                           problem);
  check_windows<Policy, PatchTile<1, 4>, Threes, MeanOfWindow, 1, 2, 4>(checker, "infinite mean " + policy, problem);
  check_channels<Policy, PatchTile<1, 4>, Threes, SmallestOfChannels>(checker, "infinite channels " + policy, problem);
  check_channels<Policy, PatchTile<1, 4>, Threes, LogSumExpOfChannels>(checker, "infinite sums " + policy, problem);
  for (const float bias : {INFINITY, -INFINITY, NAN}) {
    problem = exact_case<Threes>(problem.shape);
    problem.bias[3] = bias;
    renew();
    check_channels<Policy, PatchTile<1, 4>, Threes, LogSumExpOfChannels>(checker, "infinite bias " + policy, problem);
    check_channels<Policy, PatchTile<1, 4>, Threes, LargestOfChannels>(checker, "infinite largest " + policy, problem);
    check_windows<Policy, PatchTile<1, 4>, Threes, LargestOfWindow, 1, 2, 2>(checker, "infinite plane " + policy,
                                                                             problem);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_windows_of_phases(checker);
  check_windows_without_taps(checker);
  check_windows_of_stacks(checker);
  check_reductions(checker);
  check_reductions_in_parts(checker);
  check_non_finite<Tf32>(checker, "tf32");
  check_non_finite<ScaledFp16>(checker, "fp16");
  check_non_finite<Tf32x3>(checker, "tf32x3");
  return checker.finish();
}
