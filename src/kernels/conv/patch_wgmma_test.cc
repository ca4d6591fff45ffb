// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_wgmma.h"

#include <gtest/gtest.h>

#include "kernels/code/step_code.h"
#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

class GroupConvolution : public AskedKernel {
 public:
  explicit GroupConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math = MathMode::kTf32,
                                   const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(math, limits), "patch_wgmma");
  }
  std::string launched(const Setting& setting) const {
    std::string launch;
    for (const std::string& line : to_text(kernel().draft(group(), setting).value()).launch) {
      launch += line;
    }
    return launch;
  }
};

// `numbers`: stride, padding and dilation.
GroupConvolution group_convolution(const std::string& images, const std::string& weight,
                                   const std::string& numbers = "stride=[1,1], padding=[1,1], dilation=[1,1]",
                                   const std::string& groups = "1") {
  return GroupConvolution("graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
                          "] = parameter \"w\"\ny = conv2d(x, w, none; " + numbers + ", groups=" + groups +
                          ")\nreturn output \"0\" = y\n");
}

using Variants = std::vector<std::string>;

TEST(PatchWgmmaSettings, TakeThirtyTwoChannelsWhereTheyAreThere) {
  EXPECT_EQ(group_convolution("16,64,128,128", "64,64,3,3").offered(),
            (Variants{"patch_wgmma_16x16_32", "patch_wgmma_4x64_32"}));
  EXPECT_EQ(group_convolution("16,17,128,128", "64,17,3,3").offered(),
            (Variants{"patch_wgmma_16x16_32", "patch_wgmma_4x64_32"}));
  EXPECT_EQ(group_convolution("16,16,128,128", "64,16,3,3").offered(),
            (Variants{"patch_wgmma_16x16_16", "patch_wgmma_4x64_16"}));
  // The patch is too large for them.
  const char* const apart = "stride=[1,1], padding=[8,8], dilation=[8,8]";
  EXPECT_EQ(group_convolution("16,64,128,128", "64,64,3,3", apart).offered(), (Variants{"patch_wgmma_16x16_16"}));
}

TEST(PatchWgmmaSettings, HaveLongRowsWhereOutputsDo) {
  EXPECT_EQ(group_convolution("16,64,32,32", "64,64,3,3").offered(), (Variants{"patch_wgmma_16x16_32"}));
}

TEST(PatchWgmmaSettings, AreForRoundedProductsOfOneGroupAndSingleSteps) {
  EXPECT_TRUE(group_convolution("16,64,128,128", "64,64,3,3").offered(MathMode::kFp32).empty());
  EXPECT_TRUE(group_convolution("16,64,128,128", "64,32,3,3", "stride=[1,1], padding=[1,1], dilation=[1,1]", "2")
                  .offered()
                  .empty());
  EXPECT_TRUE(
      group_convolution("16,64,128,128", "64,64,3,3", "stride=[2,1], padding=[1,1], dilation=[1,1]").offered().empty());
  EXPECT_TRUE(group_convolution("16,64,128,128", "64,64,1,1").offered().empty());
  EXPECT_TRUE(group_convolution("16,8,128,128", "64,8,3,3").offered().empty());
  EXPECT_TRUE(group_convolution("16,64,128,128", "16,64,3,3").offered().empty());
  const auto older = device_limits("A100");
  ASSERT_TRUE(older.has_value());
  EXPECT_TRUE(group_convolution("16,64,128,128", "64,64,3,3").offered(MathMode::kTf32, *older).empty());
}

TEST(PatchWgmmaSettings, TakeTheFewestChannelsThatAreNotThere) {
  EXPECT_EQ(group_convolution("16,48,128,128", "64,48,3,3").offered(),
            (Variants{"patch_wgmma_16x16_48", "patch_wgmma_4x64_32"}));
  EXPECT_EQ(group_convolution("16,96,128,128", "64,96,3,3").offered(),
            (Variants{"patch_wgmma_16x16_32", "patch_wgmma_4x64_32"}));
}

TEST(PatchWgmmaSettings, OfFewOutputChannelsTakeTwoOutputsAPlace) {
  const GroupConvolution plane = group_convolution("16,32,128,128", "24,32,3,3");
  EXPECT_EQ(plane.offered(), (Variants{"patch_wgmma_32x16_32"}));
  EXPECT_NE(plane.launched({"patch_wgmma_32x16_32"}).find("stitch::GroupTile<16, 4, 256, 1, 2>"), std::string::npos);
  EXPECT_TRUE(
      group_convolution("16,32,128,128", "24,32,3,3", "stride=[1,1], padding=[1,1], dilation=[2,1]").offered().empty());
  const GroupConvolution volume(
      "graph g mode=eval\nx: f32[2,48,32,32,32] = input \"x\"\nw: f32[24,48,3,3,3] = parameter \"w\"\n"
      "y = conv3d(x, w, none; stride=[1,1,1], padding=[1,1,1], dilation=[1,1,1], groups=1)\nreturn output \"0\" = y\n");
  EXPECT_EQ(volume.offered(), (Variants{"patch_wgmma_2x16x16_48"}));
}

GroupConvolution transposed_convolution(const std::string& images, const std::string& weight,
                                        const std::string& stride) {
  return GroupConvolution("graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
                          "] = parameter \"w\"\ny = conv_transpose2d(x, w, none; stride=[" + stride +
                          "], padding=[1,1], output_padding=[0,0], dilation=[1,1], groups=1)\n"
                          "return output \"0\" = y\n");
}

TEST(PatchWgmmaSettings, OfStridedTransposedConvolutionsAreLines) {
  const GroupConvolution by_two = transposed_convolution("16,64,64,64", "64,64,4,4", "2,2");
  EXPECT_EQ(by_two.offered(), (Variants{"patch_wgmma_1x256_64"}));
  EXPECT_NE(by_two.launched({"patch_wgmma_1x256_64"}).find("stitch::GroupTile<128, 8, 128>"), std::string::npos);
  const GroupConvolution by_three = transposed_convolution("16,24,64,64", "24,64,4,4", "3,3");
  EXPECT_EQ(by_three.offered(), (Variants{"patch_wgmma_1x256_32"}));
  EXPECT_NE(by_three.launched({"patch_wgmma_1x256_32"}).find("stitch::GroupTile<64, 4, 64>"), std::string::npos);
  EXPECT_EQ(transposed_convolution("16,64,64,64", "64,64,4,4", "1,1").offered(),
            (Variants{"patch_wgmma_16x16_32", "patch_wgmma_4x64_32"}));
  EXPECT_TRUE(transposed_convolution("16,64,64,64", "64,64,4,4", "1,9").offered().empty());
}

// At reduced sizes the program's own setting stays.
TEST(PatchWgmmaSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(group_convolution("1,3,9,9", "5,3,3,3").allows({"patch_wgmma_16x16_32"}));
  EXPECT_FALSE(group_convolution("1,3,9,9", "5,3,3,3", "stride=[2,2], padding=[1,1], dilation=[1,1]")
                   .allows({"patch_wgmma_16x16_32"}));
}

TEST(PatchWgmmaSettings, NameTheirTile) {
  const std::string launch = group_convolution("16,64,128,128", "64,64,3,3").launched({"patch_wgmma_16x16_32"});
  EXPECT_NE(launch.find("launch_conv_patch_wgmma<stitch::GroupTile<16, 4>, Window>("), std::string::npos) << launch;
}

// Two slices of 32 input channels, 4 KB a tap; a float of each of 64 output channels; 16 bytes an image, and its eight
// planes with the padding.
TEST(PatchWgmmaSettings, ArrangeTheirOperandsInTheScratchMemory) {
  EXPECT_EQ(group_convolution("16,40,64,63", "40,40,3,3").shape({"patch_wgmma_16x16_32"}).scratch_bytes,
            int64_t{2} * 9 * 4096 + 64 * 4 + 16 * 16 + int64_t{16} * 8 * 66 * 65 * 16);
}

// Measured on an H200: 1,152 us, of which 468 go to packing; 1,842 where twice as many outputs follow.
TEST(PatchWgmmaSettings, AreEstimatedAsMeasured) {
  constexpr double kPeak = 989e12, kMemory = 4.8e12;
  const auto whole_us = [&](const char* weight) {
    const Work work = group_convolution("64,64,256,256", weight).work({"patch_wgmma_16x16_32"});
    return (work.padded_flops / (kPeak * work.peak_share) + work.serial_bytes / kMemory) * 1e6;
  };
  EXPECT_NEAR(whole_us("64,64,3,3"), 1152, 60);
  EXPECT_NEAR(whole_us("128,64,3,3"), 1842, 90);
}

}  // namespace
}  // namespace stitch::kernels
