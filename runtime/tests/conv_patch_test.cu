// SPDX-License-Identifier: Apache-2.0
// Convolutions from patches of the input on the tensor cores, as they are and transposed: strides and dilations with
// and without a common divisor, groups, ragged extents, infinities; TF32 on operands that it holds exactly.
#include <algorithm>
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/patch_mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// Run: the window that is run, which may be folded.
template <typename Policy, typename Tile, typename Run, typename Window>
std::vector<float> outputs(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  const ConvShape& shape = problem.shape;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(patch_detail::PatchScratch<Policy, Run>(shape, Tile::tiles_m).bytes /
                             int64_t{sizeof(float)});
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(name, launch_conv_patch_mma<Policy, Tile, Run>(shape, x.data(), weight.data(), epilogue,
                                                                  pixels % 4 == 0, scratch.data(), nullptr));
  return y.values();
}

template <typename Policy, typename Tile, typename Run, typename Window>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  checker.close(name, outputs<Policy, Tile, Run>(checker, name, problem), problem.want, 1e-5);
}

// One product of exact operands, and three of drawn ones.
template <typename Tile, typename Window>
void check_all(Checker& checker, const std::string& name, const ConvShape& shape) {
  const ConvCase<Window> rounded = rounded_case<Window>(shape);
  check<Tf32, Tile, Window>(checker, name + " tf32", rounded);
  check<ScaledFp16, Tile, Window>(checker, name + " fp16", rounded);
  check<Tf32x3, Tile, Window>(checker, name + " tf32x3", ConvCase<Window>(shape));
}

void check_transposed(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  check_all<PatchTile<2, 4>, Twice>(checker, "twice", conv_shape<Twice>(2, 5, 6, 37, 40, 1));
  using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  check_all<PatchTile<2, 4>, Threes>(checker, "threes", conv_shape<Threes>(1, 18, 1, 5, 6, 20, 1, 1));
  using Fours = Transposed<ConvWindow<4, 4, 2, 2, 1, 1, 1, 1>>;
  check_all<PatchTile<2, 4>, Fours>(checker, "weights by slices", conv_shape<Fours>(1, 101, 1, 3, 4, 20, 1));
  check_all<PatchTile<2, 4>, Fours>(checker, "stored by four", conv_shape<Fours>(2, 9, 1, 5, 38, 50, 1));
  using Odd = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  check_all<PatchTile<1, 4>, Odd>(checker, "odd", conv_shape<Odd>(2, 6, 1, 5, 6, 10, 2, 1));
  using Plain = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 1, 2>>;
  check_all<PatchTile<4, 4>, Plain>(checker, "stride 1", conv_shape<Plain>(1, 9, 6, 5, 130, 1));
  using Dilated = Transposed<ConvWindow<3, 3, 2, 3, 5, 0, 2, 2>>;
  check_all<PatchTile<1, 4>, Dilated>(checker, "dilated", conv_shape<Dilated>(1, 3, 1, 5, 4, 7, 1, 1));
  using Sparse = Transposed<ConvWindow<1, 2, 1, 5, 0, 1, 1, 1>>;
  using Doubled = Transposed<ConvWindow<2, 2, 2, 2, 0, 1, 1, 1>>;
  check_all<PatchTile<2, 4>, Doubled>(checker, "phases at odd places", conv_shape<Doubled>(1, 5, 6, 37, 20, 1));
  check_all<PatchTile<1, 4>, Sparse>(checker, "sparse", conv_shape<Sparse>(2, 4, 5, 4, 7, 1));
  using Scattered = Transposed<ConvWindow<3, 3, 5, 5, 1, 1, 2, 2>>;
  check_all<PatchTile<1, 4>, Scattered>(checker, "scattered", conv_shape<Scattered>(1, 6, 4, 9, 17, 1));
  using Long = Transposed<ConvWindow<1, 35, 1, 2, 0, 9, 1, 1>>;
  check_all<PatchTile<1, 4>, Long>(checker, "long", conv_shape<Long>(1, 3, 3, 9, 5, 1));
  check_all<PatchTile<1, 4, 1>, Long>(checker, "one row", conv_shape<Long>(2, 3, 1, 131, 5, 1));
}

void check_volumes(Checker& checker) {
  using Twice = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  check_all<PatchTile<1, 4>, Twice>(checker, "volume", conv_shape<Twice>(2, 3, 3, 5, 7, 16, 1));
  using Mixed = Transposed<ConvWindow3d<3, 2, 3, 2, 2, 1, 1, 0, 1, 1, 1, 2>>;
  check_all<PatchTile<1, 4>, Mixed>(checker, "mixed volume", conv_shape<Mixed>(1, 4, 3, 3, 5, 6, 2, 1));
  using Far = Transposed<ConvWindow3d<1, 1, 3, 1, 1, 2, 0, 0, 1, 1, 1, 1>>;
  check_all<PatchTile<4, 4>, Far>(checker, "row of a volume", conv_shape<Far>(1, 9, 2, 3, 5, 70, 1));
  using Large = Transposed<ConvWindow3d<5, 5, 5, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  using LargePatch = patch_detail::PatchBlocks<ScaledFp16, PatchTile<4, 8>, Large>;
  static_assert(LargePatch::count == 1, "its patches leave room for no second block");
  check<ScaledFp16, PatchTile<4, 8>, Large>(checker, "large volume",
                                            rounded_case<Large>(conv_shape<Large>(1, 18, 2, 3, 37, 20, 1)));
}

void check_forward(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  check_all<PatchTile<2, 8>, Same>(checker, "3x3", conv_shape<Same>(2, 17, 9, 70, 36, 1));
  check_all<PatchTile<2, 8>, Same>(checker, "rows that begin anywhere", conv_shape<Same>(2, 17, 8, 71, 36, 1));
  check_all<PatchTile<1, 4>, Same>(checker, "rows at odd places", conv_shape<Same>(1, 3, 12, 37, 20, 1));
  check_all<PatchTile<1, 4>, Same>(checker, "groups", conv_shape<Same>(1, 6, 6, 5, 8, 2));
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  check_all<PatchTile<2, 4>, Strided>(checker, "strided", conv_shape<Strided>(2, 3, 13, 14, 33, 1));
  using Volume = ConvWindow3d<3, 3, 5, 1, 1, 1, 1, 0, 2, 1, 1, 1>;
  check_all<PatchTile<1, 8>, Volume>(checker, "forward volume", conv_shape<Volume>(1, 9, 4, 5, 6, 12, 1));
}

// Infinities and NaN are what plain arithmetic makes of them.
void check_non_finite(Checker& checker) {
  using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  ConvCase<Threes> problem = rounded_case<Threes>(conv_shape<Threes>(1, 9, 1, 4, 5, 6, 1, 1));
  problem.x[7] = INFINITY;
  problem.x[90] = NAN;
  problem.weight[11] = -INFINITY;
  problem.want = reference<Threes>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check<Tf32, PatchTile<2, 4>, Threes>(checker, "infinities tf32", problem);
  check<ScaledFp16, PatchTile<2, 4>, Threes>(checker, "infinities fp16", problem);
  check<Tf32x3, PatchTile<2, 4>, Threes>(checker, "infinities tf32x3", problem);
}

template <int kFold, typename Window>
void check_fold(Checker& checker, const std::string& name, const ConvShape& shape) {
  check<ScaledFp16, PatchTile<2, 4>, Folded<Window, kFold>>(checker, name, rounded_case<Window>(shape));
}

// Neighbouring taps in one slice, where there are few channels.
void check_folded(Checker& checker) {
  using Threes = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  check_fold<4, Threes>(checker, "three channels", conv_shape<Threes>(2, 3, 9, 70, 36, 1));
  check_fold<8, Threes>(checker, "one channel", conv_shape<Threes>(1, 1, 5, 36, 9, 1));
  check_fold<2, Threes>(checker, "groups of seven", conv_shape<Threes>(1, 14, 5, 7, 6, 2));
  using Strided = ConvWindow<5, 7, 2, 3, 2, 3, 1, 2>;
  check_fold<4, Strided>(checker, "three channels, strided", conv_shape<Strided>(1, 3, 13, 38, 33, 1));
  using Volume = ConvWindow3d<3, 3, 5, 1, 1, 1, 1, 0, 2, 1, 1, 1>;
  check_fold<4, Volume>(checker, "four channels, volume", conv_shape<Volume>(1, 4, 4, 5, 6, 12, 1));
  using Row = ConvWindow<1, 9, 1, 1, 0, 4, 1, 1>;
  check<ScaledFp16, PatchTile<1, 4, 1>, Folded<Row, 8>>(checker, "one channel, one row",
                                                        rounded_case<Row>(conv_shape<Row>(2, 2, 1, 131, 5, 1)));
}

// Each output is as near as its own operands allow.
template <typename Tile, typename Run, typename Window>
void check_own_range(Checker& checker, const std::string& name, ConvCase<Window> problem) {
  std::fill(problem.bias.begin(), problem.bias.end(), 0.0f);
  const auto sums = [&] {
    return reference<Window>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  };
  const std::vector<double> want = sums();
  std::vector<float> got = outputs<ScaledFp16, Tile, Run>(checker, name, problem);
  for (std::vector<float>* operand : {&problem.x, &problem.weight}) {
    for (float& value : *operand) {
      value = std::abs(value);
    }
  }
  const std::vector<double> sizes = sums();
  for (size_t i = 0; i < want.size(); ++i) {
    got[i] = static_cast<float>((got[i] - want[i]) / std::max(sizes[i], 0x1p-120));
  }
  checker.close(name, got, std::vector<double>(want.size()), 1e-5);
}

// One image far below the others, one far above, one of both very small and ordinary elements, one of zeros, one of
// large elements where no sample is taken; and an output channel that has very small weights for all input channels but
// the first, which the first image lacks.
void check_ranges(Checker& checker) {
  using Threes = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  ConvCase<Threes> problem = rounded_case<Threes>(conv_shape<Threes>(5, 5, 6, 80, 20, 1));
  const size_t image = problem.x.size() / 5;
  for (size_t i = 0; i < image; ++i) {
    problem.x[i] *= i < image / 5 ? 0 : 0x1p-40f;
    problem.x[image + i] *= 0x1p50f;
    problem.x[2 * image + i] *= i % 80 < 40 ? 0x1p-35f : 1.0f;
    problem.x[3 * image + i] = 0;
    problem.x[4 * image + i] *= i % 2 == 0 ? 1.0f : 0x1p9f;
  }
  for (size_t i = 9; i < 45; ++i) {
    problem.weight[i] *= 0x1p-40f;
  }
  check_own_range<PatchTile<1, 4>, Threes>(checker, "ranges", problem);
  // Small elements alone under some windows, and beside ordinary ones in every aligned run of places.
  ConvCase<Threes> fine = rounded_case<Threes>(conv_shape<Threes>(2, 1, 6, 80, 20, 1));
  for (size_t i = 0; i < fine.x.size(); ++i) {
    fine.x[i] *= i % 4 < 3 ? 0x1p-35f : 1.0f;
  }
  check_own_range<PatchTile<1, 4>, Folded<Threes, 8>>(checker, "fine ranges", fine);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_transposed(checker);
  check_volumes(checker);
  check_forward(checker);
  check_non_finite(checker);
  check_folded(checker);
  check_ranges(checker);
  return checker.finish();
}
