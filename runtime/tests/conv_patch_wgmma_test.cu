// SPDX-License-Identifier: Apache-2.0
// Convolutions of stride one, and transposed ones of any stride, from patches of the input by wgmma: ragged extents,
// channels that fill no slice, windows of any form, transposed ones, weights that have no room, infinities, and what
// fp16 does not hold.
#include <algorithm>
#include <cmath>

#include "conv_support.cuh"
#include "kernels/conv/patch_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

// The tensor cores cut off where fp32 rounds, once every sixteen of K.
constexpr double kClose = 5e-5;

template <typename Window>
void compute(ConvCase<Window>& problem) {
  problem.want = reference<Window>(problem.shape, problem.x.data(), problem.weight.data(), problem.bias.data());
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

// Several outputs a place.
void check_phases(Checker& checker) {
  using Four = Transposed<ConvWindow<4, 4, 2, 2, 1, 1, 1, 1>>;
  check<GroupTile<128, 8, 128>, Four>(checker, "4x4 by two", conv_shape<Four>(2, 64, 1, 9, 20, 70, 1));
  using Threes2 = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  check<GroupTile<128, 4, 128>, Threes2>(checker, "3x3 by two", conv_shape<Threes2>(2, 41, 1, 17, 33, 24, 1));
  check<GroupTile<128, 8, 128>, Threes2>(checker, "and more outputs", conv_shape<Threes2>(1, 100, 1, 6, 40, 100, 1, 1));
  using Wide = Transposed<ConvWindow<2, 5, 2, 2, 0, 3, 1, 1>>;
  check<GroupTile<128, 2, 128>, Wide>(checker, "2x5 by two", conv_shape<Wide>(1, 16, 1, 30, 5, 32, 1));
  using Mixed = Transposed<ConvWindow<4, 3, 1, 2, 2, 0, 1, 2>>;
  check<GroupTile<128, 4, 128>, Mixed>(checker, "by one and two", conv_shape<Mixed>(1, 20, 1, 7, 50, 64, 1));
  using Down = Transposed<ConvWindow<3, 3, 3, 1, 1, 1, 1, 1>>;
  check<GroupTile<256, 2>, Down>(checker, "by three and one", conv_shape<Down>(1, 20, 1, 7, 31, 64, 1));
  using Row = Transposed<ConvWindow<1, 3, 1, 2, 0, 1, 1, 2>>;
  check<GroupTile<128, 4, 128>, Row>(checker, "a row by two", conv_shape<Row>(2, 32, 1, 1, 700, 64, 1));
  using Threes3 = Transposed<ConvWindow<5, 4, 3, 3, 2, 1, 1, 1>>;
  check<GroupTile<64, 4, 64>, Threes3>(checker, "by three", conv_shape<Threes3>(1, 32, 1, 5, 21, 64, 1));
  using Five = Transposed<ConvWindow<3, 3, 5, 5, 1, 1, 2, 2>>;
  check<GroupTile<32, 4, 32>, Five>(checker, "phases without a tap", conv_shape<Five>(1, 32, 1, 6, 13, 64, 1));
}

void check_phases_of_volumes(Checker& checker) {
  using Cube = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  check<GroupTile<128, 8, 128>, Cube>(checker, "cube by two", conv_shape<Cube>(1, 64, 3, 5, 12, 64, 1));
  check<GroupTile<128, 4, 128>, Cube>(checker, "cube and more outputs", conv_shape<Cube>(2, 32, 3, 4, 8, 70, 1, 1));
  using Four = Transposed<ConvWindow3d<4, 4, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1>>;
  check<GroupTile<128, 2, 128>, Four>(checker, "4x4x4 by two", conv_shape<Four>(1, 32, 2, 5, 9, 40, 1));
  using Apart = Transposed<ConvWindow3d<3, 3, 3, 2, 2, 2, 1, 1, 1, 2, 2, 2>>;
  check<GroupTile<128, 4, 128>, Apart>(checker, "cube of distant taps", conv_shape<Apart>(1, 32, 4, 4, 9, 64, 1));
}

// Few output channels: places of two outputs.
void check_few_channels(Checker& checker) {
  using High = GroupTile<16, 4, 256, 1, 2>;
  check<High, Threes>(checker, "pairs of rows", conv_shape<Threes>(2, 32, 37, 20, 24, 1));
  using Oblong = Transposed<ConvWindow<3, 7, 1, 1, 1, 3, 1, 1>>;
  check<High, Oblong>(checker, "pairs of rows, transposed", conv_shape<Oblong>(1, 33, 9, 19, 33, 1));
  using Deep = GroupTile<16, 6, 256, 2, 1>;
  using Back = Transposed<ConvWindow3d<3, 3, 3, 1, 1, 1, 0, 0, 0, 1, 1, 1>>;
  check<Deep, Back>(checker, "pairs of layers, transposed", conv_shape<Back>(2, 48, 5, 7, 12, 24, 1));
  using Cube = ConvWindow3d<3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 2, 1>;
  check<Deep, Cube>(checker, "pairs of layers", conv_shape<Cube>(1, 20, 6, 8, 9, 32, 1), 1);
  check<GroupTile<16, 2, 256, 2, 2>, Back>(checker, "fours", conv_shape<Back>(1, 16, 4, 33, 9, 12, 1));
}

// Blocks that take tiles of a phase one after the other, and weights that have no room.
void check_rounds_of_phases(Checker& checker) {
  using Threes2 = Transposed<ConvWindow<3, 3, 2, 2, 1, 1, 1, 1>>;
  check<GroupTile<128, 4, 128>, Threes2>(checker, "rounds of phases", conv_shape<Threes2>(5, 48, 1, 12, 20, 64, 1), 3);
  using Large = Transposed<ConvWindow<8, 9, 2, 2, 3, 4, 1, 1>>;
  check<GroupTile<128, 8, 128>, Large>(checker, "a ring of phases", conv_shape<Large>(3, 64, 1, 9, 15, 20, 1), 2);
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

void check_non_finite_phases(Checker& checker) {
  using Window = Transposed<ConvWindow<4, 3, 2, 2, 1, 1, 1, 1>>;
  ConvCase<Window> problem = rounded_case<Window>(conv_shape<Window>(2, 17, 1, 11, 20, 70, 1));
  problem.x[7] = INFINITY;
  problem.x[2090] = NAN;
  problem.weight[200] = -INFINITY;
  compute(problem);
  const auto got = outputs<GroupTile<128, 2, 128>>(checker, "infinities of phases", problem);
  checker.close("infinities of phases", got, problem.want, kClose);
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
  check_phases(checker);
  check_phases_of_volumes(checker);
  check_rounds_of_phases(checker);
  check_few_channels(checker);
  check_non_finite(checker);
  check_non_finite_phases(checker);
  check_ranges(checker);
  return checker.finish();
}
