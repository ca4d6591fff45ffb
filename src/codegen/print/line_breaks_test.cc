// SPDX-License-Identifier: Apache-2.0
// What is expected is what clang-format 18 answered, four columns in. tests/forms asks it about whole programs.
#include "codegen/print/line_breaks.h"

#include <gtest/gtest.h>

namespace stitch::codegen {
namespace {

using Pieces = std::vector<std::string>;
constexpr size_t kIndent = 4;

Pieces broken(const std::string& line) { return broken_code(line, kIndent, false); }

TEST(LineBreaks, LeavesWhatFits) {
  const std::string fits(116, 'x');
  EXPECT_EQ(broken(fits), Pieces{fits});
}

TEST(LineBreaks, PacksParametersBehindTheBracket) {
  EXPECT_EQ(broken_code("__device__ void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t out_x, "
                        "float accumulator, const stitch::Lanes<float, kLanes>& other) const {",
                        2, true),
            (Pieces{"__device__ void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t out_x, "
                    "float accumulator,",
                    "                           const stitch::Lanes<float, kLanes>& other) const {"}));
}

TEST(LineBreaks, BreaksAfterAnAssignmentBeforeItBreaksASum) {
  EXPECT_EQ(broken("const auto x_lanes = stitch::load_float_lanes<kLanes>(x + at[0] * x_axis_0_stride + "
                   "at[1] * x_axis_1_stride + at[2]);"),
            (Pieces{"const auto x_lanes =",
                    "    stitch::load_float_lanes<kLanes>(x + at[0] * x_axis_0_stride + at[1] * x_axis_1_stride + "
                    "at[2]);"}));
}

TEST(LineBreaks, AlignsOperands) {
  EXPECT_EQ(broken("const bool vectorised = extents.columns % kVectorWidth == 0 && "
                   "stitch::lanes_aligned(epilogue.qkv_bias) && "
                   "stitch::lanes_aligned(epilogue.qkv_out, epilogue.qkv_out_row_stride);"),
            (Pieces{"const bool vectorised = extents.columns % kVectorWidth == 0 && "
                    "stitch::lanes_aligned(epilogue.qkv_bias) &&",
                    "                        stitch::lanes_aligned(epilogue.qkv_out, epilogue.qkv_out_row_stride);"}));
}

TEST(LineBreaks, PutsBothWaysOfAChoiceOnLinesOfTheirOwn) {
  EXPECT_EQ(broken("const int64_t v32 = static_cast<int64_t>(i_lanes[lane]) < 0 ? 0 : "
                   "(static_cast<int64_t>(i_lanes[lane]) > 1 ? 1 : static_cast<int64_t>(i_lanes[lane]));"),
            (Pieces{"const int64_t v32 = static_cast<int64_t>(i_lanes[lane]) < 0", "                        ? 0",
                    "                        : (static_cast<int64_t>(i_lanes[lane]) > 1 ? 1 : "
                    "static_cast<int64_t>(i_lanes[lane]));"}));
}

// An arrow is no bracket.
TEST(LineBreaks, PacksArguments) {
  EXPECT_EQ(broken("return stitch::launch_conv_ffma_split_k<stitch::FfmaTileSmall, Window>(shape, input, weight, "
                   "epilogue, extents.splits, args->scratch, stream);"),
            (Pieces{"return stitch::launch_conv_ffma_split_k<stitch::FfmaTileSmall, Window>(shape, input, weight, "
                    "epilogue,",
                    "                                                                       extents.splits, "
                    "args->scratch, stream);"}));
}

TEST(LineBreaks, BreaksListsOfTypesWhereTheyAreWhatIsLong) {
  EXPECT_EQ(broken("return stitch::launch_pool<stitch::Window2d<2, 2, 2, 2, 0, 0, 1, 1>, "
                   "stitch::PoolDivisor::kWithPadding, stitch::Nothing>(load, store, shape, stream);"),
            (Pieces{"return stitch::launch_pool<stitch::Window2d<2, 2, 2, 2, 0, 0, 1, 1>, "
                    "stitch::PoolDivisor::kWithPadding,",
                    "                           stitch::Nothing>(load, store, shape, stream);"}));
}

// No break of it makes lines that are short enough, and none is lost.
TEST(LineBreaks, KeepsWhatCannotBeBroken) {
  const std::string name(150, 'x');
  EXPECT_EQ(broken("return " + name + ";"), Pieces{"return " + name + ";"});
}

}  // namespace
}  // namespace stitch::codegen
