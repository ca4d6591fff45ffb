// SPDX-License-Identifier: Apache-2.0
// Convolutions of stride one from patches of the input by wgmma: ragged extents, channels that fill no slice, windows
// of any form, transposed ones, weights that have no room, infinities, and what fp16 does not hold.
#include <algorithm>
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/patch_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// The tensor cores cut off where fp32 rounds, once every sixteen of K.
constexpr double kClose = 5e-5;

// With eleven significant bits.
void round_to_fp16(std::vector<float>& values) {
  for (float& value : values) {
    value = std::round(value * 1024) / 1024;
  }
}

template <typename Window>
void compute(ConvCase<Window>& problem) {
  problem.want = reference<Window>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
}

template <typename Window>
ConvCase<Window> rounded_case(const ConvShape& shape) {
  ConvCase<Window> problem(shape);
  round_to_fp16(problem.x);
  round_to_fp16(problem.weight);
  compute(problem);
  return problem;
}

template <typename Tile, typename Window>
std::vector<float> outputs(Checker& checker, const std::string& name, const ConvCase<Window>& problem,
                           int blocks_at_once = patch_detail::kBlocksAtOnce) {
  const ConvShape& shape = problem.shape;
  const DeviceFloats x(problem.x);
  const DeviceFloats weight(problem.weight);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats y(problem.outputs());
  const DeviceFloats scratch(patch_detail::GroupScratch<Tile, Window>(shape).bytes / int64_t{sizeof(float)});
  const int64_t pixels = shape.out_depth * shape.out_height * shape.out_width;
  const PixelBiasStore epilogue{y.data(), bias.data(), shape.out_channels, pixels};
  checker.launched(name,
                   launch_conv_patch_wgmma<Tile, Window>(shape, x.data(), weight.data(), epilogue, pixels % 4 == 0,
                                                         scratch.data(), nullptr, blocks_at_once));
  return y.values();
}

template <typename Tile, typename Window>
void check(Checker& checker, const std::string& name, const ConvShape& shape,
           int blocks_at_once = patch_detail::kBlocksAtOnce) {
  const ConvCase<Window> problem = rounded_case<Window>(shape);
  checker.close(name, outputs<Tile>(checker, name, problem, blocks_at_once), problem.want, kClose);
}

using Threes = ConvWindow<3, 3, 1, 1, 1, 1, 1, 1>;

void check_windows(Checker& checker) {
  check<GroupTile<16, 4>, Threes>(checker, "3x3", conv_shape<Threes>(2, 64, 17, 36, 70, 1));
  check<GroupTile<32, 4>, Threes>(checker, "few rows, stored singly", conv_shape<Threes>(1, 41, 5, 37, 64, 1));
  check<GroupTile<32, 2>, Threes>(checker, "broad, few channels", conv_shape<Threes>(3, 16, 9, 40, 20, 1));
  using Valid = ConvWindow<3, 3, 1, 1, 0, 0, 1, 1>;
  check<GroupTile<16, 2>, Valid>(checker, "many channels", conv_shape<Valid>(1, 200, 18, 18, 130, 1));
  check<GroupTile<16, 4>, Valid>(checker, "rows at even places", conv_shape<Valid>(2, 40, 20, 36, 71, 1));
  check<GroupTile<64, 2>, Valid>(checker, "broad rows at even places", conv_shape<Valid>(1, 16, 12, 52, 23, 1));
  using Five = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
  check<GroupTile<16, 4>, Five>(checker, "5x5", conv_shape<Five>(1, 96, 20, 21, 64, 1));
  using Dilated = ConvWindow<3, 2, 1, 1, 4, 3, 2, 5>;
  check<GroupTile<16, 2>, Dilated>(checker, "dilated, padded", conv_shape<Dilated>(2, 24, 7, 12, 65, 1));
  using Row = ConvWindow<1, 9, 1, 1, 0, 4, 1, 1>;
  check<GroupTile<256, 2>, Row>(checker, "one row", conv_shape<Row>(1, 17, 1, 1100, 33, 1));
  using Ragged = ConvWindow<1, 3, 1, 1, 0, 0, 1, 1>;
  check<GroupTile<256, 2>, Ragged>(checker, "rows of one row at even places", conv_shape<Ragged>(1, 16, 2, 328, 10, 1));
  using Column = ConvWindow<7, 1, 1, 1, 3, 0, 1, 1>;
  check<GroupTile<32, 4>, Column>(checker, "one column", conv_shape<Column>(1, 160, 70, 4, 64, 1));
}

void check_transposed(Checker& checker) {
  using Plain = Transposed<ConvWindow<3, 5, 1, 1, 0, 4, 1, 2>>;
  check<GroupTile<16, 4>, Plain>(checker, "transposed", conv_shape<Plain>(1, 40, 6, 15, 70, 1));
  using Cropped = Transposed<ConvWindow<2, 3, 1, 1, 3, 4, 1, 1>>;
  check<GroupTile<32, 2>, Cropped>(checker, "transposed, cropped", conv_shape<Cropped>(2, 16, 12, 14, 9, 1));
}

void check_volumes(Checker& checker) {
  using Volume = ConvWindow3d<3, 3, 5, 1, 1, 1, 1, 0, 2, 2, 1, 1>;
  check<GroupTile<16, 2>, Volume>(checker, "volume", conv_shape<Volume>(2, 20, 6, 5, 9, 12, 1));
  using Back = Transposed<ConvWindow3d<2, 3, 3, 1, 1, 1, 0, 1, 1, 1, 1, 1>>;
  check<GroupTile<32, 4>, Back>(checker, "transposed volume", conv_shape<Back>(1, 70, 3, 5, 9, 64, 1));
}

// Weights of more stages than shared memory has, of one patch and of several.
void check_rings(Checker& checker) {
  using Large = ConvWindow<9, 9, 1, 1, 4, 4, 1, 1>;
  check<GroupTile<16, 2>, Large>(checker, "a ring, one patch", conv_shape<Large>(1, 16, 30, 50, 8, 1));
  using Wide = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
  check<GroupTile<32, 4>, Wide>(checker, "a ring, several patches", conv_shape<Wide>(3, 70, 9, 8, 64, 1));
}

// Blocks that take tiles one after the other, and a warpgroup without a last one.
void check_rounds(Checker& checker) {
  check<GroupTile<16, 4>, Threes>(checker, "rounds", conv_shape<Threes>(7, 48, 10, 20, 64, 1), 3);
  check<GroupTile<16, 2>, Threes>(checker, "rounds of one patch", conv_shape<Threes>(5, 16, 10, 9, 100, 1), 2);
  using Large = ConvWindow<9, 9, 1, 1, 4, 4, 1, 1>;
  check<GroupTile<16, 2>, Large>(checker, "rounds of a ring, one patch", conv_shape<Large>(5, 16, 9, 10, 8, 1), 1);
  using Wide = ConvWindow<5, 5, 1, 1, 2, 2, 1, 1>;
  check<GroupTile<32, 4>, Wide>(checker, "rounds of a ring", conv_shape<Wide>(5, 70, 9, 8, 64, 1), 1);
}

// Infinities and NaN are what plain arithmetic makes of them.
void check_non_finite(Checker& checker) {
  ConvCase<Threes> problem = rounded_case<Threes>(conv_shape<Threes>(1, 17, 20, 20, 6, 1));
  problem.x[7] = INFINITY;
  problem.x[2090] = NAN;
  problem.weight[200] = -INFINITY;
  compute(problem);
  const auto got = outputs<GroupTile<16, 2>>(checker, "infinities", problem);
  checker.close("infinities", got, problem.want, kClose);
}

// Each output is as near as its own operands allow.
void check_own_range(Checker& checker, const std::string& name, ConvCase<Threes> problem) {
  std::fill(problem.bias.begin(), problem.bias.end(), 0.0f);
  compute(problem);
  const std::vector<double> want = problem.want;
  std::vector<float> got = outputs<GroupTile<16, 2>>(checker, name, problem);
  for (std::vector<float>* operand : {&problem.x, &problem.weight}) {
    for (float& value : *operand) {
      value = std::abs(value);
    }
  }
  compute(problem);
  for (size_t i = 0; i < want.size(); ++i) {
    got[i] = static_cast<float>((got[i] - want[i]) / std::max(problem.want[i], 0x1p-120));
  }
  checker.close(name, got, std::vector<double>(want.size()), kClose);
}

// One image far below the others, one far above, one of both very small and ordinary elements, one of zeros, one of
// large elements where no sample is taken; and an output channel that has very small weights for all input channels but
// the first, which the first image lacks.
void check_ranges(Checker& checker) {
  ConvCase<Threes> problem = rounded_case<Threes>(conv_shape<Threes>(5, 17, 6, 80, 20, 1));
  const size_t image = problem.x.size() / 5;
  for (size_t i = 0; i < image; ++i) {
    problem.x[i] *= i < image / 17 ? 0 : 0x1p-40f;
    problem.x[image + i] *= 0x1p50f;
    problem.x[2 * image + i] *= i % 80 < 40 ? 0x1p-35f : 1.0f;
    problem.x[3 * image + i] = 0;
    problem.x[4 * image + i] *= i % 2 == 0 ? 1.0f : 0x1p9f;
  }
  for (size_t i = 9; i < 9 * 17; ++i) {
    problem.weight[i] *= 0x1p-40f;
  }
  check_own_range(checker, "ranges", problem);
  // Small elements alone at some places.
  ConvCase<Threes> fine = rounded_case<Threes>(conv_shape<Threes>(2, 16, 6, 80, 20, 1));
  for (size_t i = 0; i < fine.x.size(); ++i) {
    fine.x[i] *= i % 8 < 7 ? 0x1p-35f : 1.0f;
  }
  check_own_range(checker, "fine ranges", fine);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_windows(checker);
  check_transposed(checker);
  check_volumes(checker);
  check_rings(checker);
  check_rounds(checker);
  check_non_finite(checker);
  check_ranges(checker);
  return checker.finish();
}
