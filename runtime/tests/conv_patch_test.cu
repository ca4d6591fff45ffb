// SPDX-License-Identifier: Apache-2.0
// Convolutions from patches of the input on the tensor cores, as they are and transposed: strides and dilations with
// and without a common divisor, groups, ragged extents, infinities; TF32 on operands that it holds exactly.
#include "conv_support.cuh"
#include "kernels/conv/patch_mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// With eleven significant bits.
void round_to_tf32(std::vector<float>& values) {
  for (float& value : values) {
    value = std::round(value * 1024) / 1024;
  }
}

template <typename Window>
ConvCase<Window> rounded_case(const ConvShape& shape) {
  ConvCase<Window> problem(shape);
  round_to_tf32(problem.x);
  round_to_tf32(problem.weight);
  problem.want = reference<Window>(shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  return problem;
}

template <typename Policy, typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvCase<Window>& problem) {
  const ConvShape& shape = problem.shape;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const patch_detail::WeightTiles tiles(shape, Tile::tiles_m);
  const DeviceFloats scratch(tiles.count(shape) * Window::taps * patch_detail::kWordsOfTile *
                             patch_detail::kParts<Policy>);
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(name, launch_conv_patch_mma<Policy, Tile, Window>(shape, x.data(), weight.data(), epilogue,
                                                                     pixels % 4 == 0, scratch.data(), nullptr));
  checker.close(name, y.values(), problem.want, 1e-5);
}

// One product of exact operands, and three of drawn ones.
template <typename Tile, typename Window>
void check_both(Checker& checker, const std::string& name, const ConvShape& shape) {
  check<Tf32, Tile>(checker, name + " tf32", rounded_case<Window>(shape));
  check<Tf32x3, Tile>(checker, name + " tf32x3", ConvCase<Window>(shape));
}

void check_transposed(Checker& checker) {
  using Twice = Transposed<ConvWindow<2, 2, 2, 2, 0, 0, 1, 1>>;
  check_both<PatchTile<2, 4>, Twice>(checker, "twice", conv_shape<Twice>(2, 5, 6, 37, 40, 1));
  using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  check_both<PatchTile<2, 4>, Threes>(checker, "threes", conv_shape<Threes>(1, 18, 1, 5, 6, 20, 1, 1));
  using Fours = Transposed<ConvWindow<4, 4, 2, 2, 1, 1, 1, 1>>;
  check_both<PatchTile<2, 4>, Fours>(checker, "weights by slices", conv_shape<Fours>(1, 101, 1, 3, 4, 20, 1));
  check_both<PatchTile<2, 4>, Fours>(checker, "stored by four", conv_shape<Fours>(2, 9, 1, 5, 38, 50, 1));
  using Odd = Transposed<ConvWindow<3, 4, 2, 3, 1, 2, 1, 1>>;
  check_both<PatchTile<1, 4>, Odd>(checker, "odd", conv_shape<Odd>(2, 6, 1, 5, 6, 10, 2, 1));
  using Plain = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 1, 2>>;
  check_both<PatchTile<4, 4>, Plain>(checker, "stride 1", conv_shape<Plain>(1, 9, 6, 5, 130, 1));
  using Dilated = Transposed<ConvWindow<3, 3, 2, 3, 5, 0, 2, 2>>;
  check_both<PatchTile<1, 4>, Dilated>(checker, "dilated", conv_shape<Dilated>(1, 3, 1, 5, 4, 7, 1, 1));
  using Sparse = Transposed<ConvWindow<1, 2, 1, 5, 0, 1, 1, 1>>;
  check_both<PatchTile<1, 4>, Sparse>(checker, "sparse", conv_shape<Sparse>(2, 4, 5, 4, 7, 1));
  using Long = Transposed<ConvWindow<1, 35, 1, 2, 0, 9, 1, 1>>;
  check_both<PatchTile<1, 4>, Long>(checker, "long", conv_shape<Long>(1, 3, 3, 9, 5, 1));
  check_both<PatchTile<1, 4, 1>, Long>(checker, "one row", conv_shape<Long>(2, 3, 1, 131, 5, 1));
}

void check_volumes(Checker& checker) {
  using Twice = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  check_both<PatchTile<1, 4>, Twice>(checker, "volume", conv_shape<Twice>(2, 3, 3, 5, 7, 16, 1));
  using Mixed = Transposed<ConvWindow3d<3, 2, 3, 2, 2, 1, 1, 0, 1, 1, 1, 2>>;
  check_both<PatchTile<1, 4>, Mixed>(checker, "mixed volume", conv_shape<Mixed>(1, 4, 3, 3, 5, 6, 2, 1));
  using Far = Transposed<ConvWindow3d<1, 1, 3, 1, 1, 2, 0, 0, 1, 1, 1, 1>>;
  check_both<PatchTile<4, 4>, Far>(checker, "row of a volume", conv_shape<Far>(1, 9, 2, 3, 5, 70, 1));
}

void check_forward(Checker& checker) {
  using Same = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;
  check_both<PatchTile<2, 8>, Same>(checker, "3x3", conv_shape<Same>(2, 17, 9, 70, 36, 1));
  check_both<PatchTile<1, 4>, Same>(checker, "groups", conv_shape<Same>(1, 6, 6, 5, 8, 2));
  using Strided = ConvWindow<5, 3, 2, 3, 2, 0, 1, 2>;
  check_both<PatchTile<2, 4>, Strided>(checker, "strided", conv_shape<Strided>(2, 3, 13, 14, 33, 1));
  using Volume = ConvWindow3d<3, 3, 5, 1, 1, 1, 1, 0, 2, 1, 1, 1>;
  check_both<PatchTile<1, 8>, Volume>(checker, "forward volume", conv_shape<Volume>(1, 9, 4, 5, 6, 12, 1));
}

// Infinities and NaN are what plain arithmetic makes of them.
void check_non_finite(Checker& checker) {
  using Threes = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  ConvCase<Threes> problem = rounded_case<Threes>(conv_shape<Threes>(1, 9, 1, 4, 5, 6, 1, 1));
  problem.x[7] = INFINITY;
  problem.x[90] = NAN;
  problem.weight[11] = -INFINITY;
  problem.want = reference<Threes>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
  check<Tf32, PatchTile<2, 4>>(checker, "infinities tf32", problem);
  check<Tf32x3, PatchTile<2, 4>>(checker, "infinities tf32x3", problem);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_transposed(checker);
  check_volumes(checker);
  check_forward(checker);
  check_non_finite(checker);
  return checker.finish();
}
