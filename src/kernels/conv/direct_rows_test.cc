// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_rows.h"

#include <gtest/gtest.h>

#include "kernels/code/step_code.h"
#include "kernels/conv/direct_fixture.h"
#include "kernels/conv/pooled.h"

namespace stitch::kernels {
namespace {

class DirectRowsConvolution : public AskedKernel {
 public:
  explicit DirectRowsConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(MathMode::kFp32, limits), "direct_rows");
  }
  // Of arithmetic on a full device.
  double arithmetic_us(const char* variant) const {
    const Work counted = work({variant});
    return counted.padded_flops / (known_devices().front().fp16_flops * counted.peak_share) * 1e6;
  }
};

using RowNames = std::vector<std::string>;

TEST(DirectRowsSettings, FollowTheChannelsOfTheProblem) {
  EXPECT_EQ(DirectRowsConvolution(direct_program("16,3,64,64,64", "64,3,3,3,3")).offered(),
            (RowNames{"direct_rows_fp16x3_64x4"}));
  EXPECT_EQ(DirectRowsConvolution(direct_program("128,8,128,128", "64,8,3,3")).offered(),
            (RowNames{"direct_rows_fp16x3_64x8"}));
  // Half of the block's output channels would be none.
  EXPECT_TRUE(DirectRowsConvolution(direct_program("128,3,24,32,32", "24,3,3,3,3")).offered().empty());
  EXPECT_TRUE(DirectRowsConvolution(direct_program("128,9,64,64", "64,9,3,3")).offered().empty());
}

TEST(DirectRowsSettings, AreOfOneGroupAndOfRowsThatThereIsRoomFor) {
  EXPECT_TRUE(DirectRowsConvolution(direct_program("4,8,32,32", "8,4,3,3", "2")).offered().empty());
  EXPECT_TRUE(DirectRowsConvolution(direct_program("4,8,2000,2000", "64,8,3,3")).offered().empty());
  const auto smaller = device_limits("RTX-4090");
  ASSERT_TRUE(smaller.has_value());
  EXPECT_TRUE(DirectRowsConvolution(direct_program("128,8,128,128", "64,8,3,3")).offered(*smaller).empty());
}

// At reduced sizes the program's own setting stays, but for input channels beyond those there is room for.
TEST(DirectRowsSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(DirectRowsConvolution(direct_program("1,2,9,9", "5,2,3,3")).allows({"direct_rows_fp16x3_64x8"}));
  EXPECT_FALSE(DirectRowsConvolution(direct_program("1,5,9,9", "5,5,3,3")).allows({"direct_rows_fp16x3_64x4"}));
}

// Measured on an H200 with a plain epilogue.
TEST(DirectRowsSettings, AreEstimatedAsMeasured) {
  const DirectRowsConvolution rows(direct_program("128,8,128,128", "64,8,3,3"));
  EXPECT_NEAR(rows.arithmetic_us("direct_rows_fp16x3_64x8"), 278, 28);
  const DirectRowsConvolution deep(direct_program("128,8,16,64,64", "64,8,3,3,3"));
  EXPECT_NEAR(deep.arithmetic_us("direct_rows_fp16x3_64x8"), 1545, 155);
  const DirectRowsConvolution cube(direct_program("16,3,64,64,64", "64,3,3,3,3"));
  EXPECT_NEAR(cube.arithmetic_us("direct_rows_fp16x3_64x4"), 592, 60);
}

class PlanesByRows : public AskedKernel {
 public:
  explicit PlanesByRows(const std::string& reduction)
      : AskedKernel(
            "graph g mode=eval\nx: f32[128,8,256,256] = input \"x\"\nw: f32[64,8,3,3] = parameter \"w\"\n"
            "y = conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)\nz = " +
                reduction + "\nreturn output \"0\" = z\n",
            make_pooled_convolution()) {}

  std::vector<std::string> offered() const { return variants_of(space(MathMode::kFp32), "direct_rows"); }
};

TEST(DirectRowsSettings, TakeMeansOfPlanesInRegisters) {
  const PlanesByRows mean("mean(y; dim=[2,3], keepdim=false)");
  EXPECT_EQ(mean.offered(), (RowNames{"direct_rows_fp16x3_64x8"}));
  EXPECT_TRUE(PlanesByRows("mean(y; dim=[3], keepdim=false)").offered().empty());
  EXPECT_TRUE(PlanesByRows("amax(y; dim=[2,3], keepdim=false)").offered().empty());
  const StepCode text = to_text(mean.kernel().draft(mean.group(), {"direct_rows_fp16x3_64x8"}).value());
  const auto has = [&](const std::string& wanted) {
    return std::any_of(text.launch.begin(), text.launch.end(),
                       [&](const std::string& line) { return line.find(wanted) != std::string::npos; });
  };
  EXPECT_TRUE(has("launch_conv_direct_rows_mean<stitch::DirectRowsMeanTile<"));
  // A number of each warpgroup and patch, of some rows each.
  const int64_t scratch = mean.shape({"direct_rows_fp16x3_64x8"}).scratch_bytes;
  EXPECT_EQ(scratch % (4 * 128 * 64), 0);
  EXPECT_LE(scratch, 4 * 128 * 64 * 254 * 2);
}

}  // namespace
}  // namespace stitch::kernels
