// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct.h"

#include <gtest/gtest.h>

#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// A convolution of `batch` images of `channels` x `side` x `side` to `results` channels.
std::string direct_program(int channels, int side, int results, const std::string& window) {
  const std::string sides = std::to_string(side) + "," + std::to_string(side);
  return "graph g mode=eval\nx: f32[128," + std::to_string(channels) + "," + sides + "] = input \"x\"\nw: f32[" +
         std::to_string(results) + "," + std::to_string(channels) + ",3,3] = parameter \"w\"\ny = conv2d(x, w, none; " +
         window + ")\nreturn output \"0\" = y\n";
}

constexpr const char* kPlain = "stride=[1,1], padding=[0,0], dilation=[1,1], groups=1";

class DirectConvolution : public AskedKernel {
 public:
  explicit DirectConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  // Without those on the tensor cores, which direct_mma_test.cc and direct_fp16_test.cc are about.
  std::vector<std::string> offered(MathMode math = MathMode::kFp32) const {
    std::vector<std::string> names = variants_of(space(math), "direct");
    std::erase_if(names, [](const std::string& name) { return name.find("x3_") != std::string::npos; });
    return names;
  }
  // Of arithmetic on a full device.
  double arithmetic_us(const char* variant) const {
    const Work counted = work({variant});
    return counted.padded_flops / (known_devices().front().fp32_flops * counted.peak_share) * 1e6;
  }
};

using Names = std::vector<std::string>;

TEST(DirectConvolutionSettings, HaveNoMoreChannelsThanTheProblem) {
  EXPECT_EQ(DirectConvolution(direct_program(3, 64, 64, kPlain)).offered(),
            (Names{"direct_64", "direct_32", "direct_16", "direct_8"}));
  EXPECT_EQ(DirectConvolution(direct_program(3, 64, 12, kPlain)).offered(), (Names{"direct_16", "direct_8"}));
  EXPECT_EQ(DirectConvolution(direct_program(3, 64, 5, kPlain)).offered(), (Names{"direct_8"}));
}

// At reduced sizes the program's own setting stays, so that what is verified there is what runs.
TEST(DirectConvolutionSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(DirectConvolution(direct_program(3, 9, 5, kPlain)).allows({"direct_64"}));
  EXPECT_FALSE(DirectConvolution(direct_program(3, 9, 5, kPlain)).allows({"direct_128"}));
}

TEST(DirectConvolutionSettings, AreExactAndOfOneGroup) {
  const std::string grouped =
      "graph g mode=eval\nx: f32[4,6,32,32] = input \"x\"\nw: f32[8,3,3,3] = parameter \"w\"\n"
      "y = conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=2)\n"
      "return output \"0\" = y\n";
  EXPECT_TRUE(DirectConvolution(grouped).offered().empty());
  EXPECT_FALSE(DirectConvolution(grouped).allows({"direct_8"}));
  // Sixteen channels are rounded there, as the baseline rounds them.
  EXPECT_TRUE(DirectConvolution(direct_program(16, 64, 64, kPlain)).offered(MathMode::kKernelBench).empty());
  EXPECT_FALSE(DirectConvolution(direct_program(8, 64, 64, kPlain)).offered(MathMode::kKernelBench).empty());
}

TEST(DirectConvolutionSettings, NeedRoomForTwoInputChannelsPatches) {
  const char* const wide = "stride=[4,4], padding=[0,0], dilation=[1,1], groups=1";
  EXPECT_EQ(DirectConvolution(direct_program(3, 256, 64, wide)).offered(), (Names{"direct_64"}));
}

// Blocks of fewer threads, so that few rows do not leave most of a tile empty.
TEST(DirectConvolutionSettings, HaveNoMoreRowsThanTheProblemFills) {
  const auto rows = [](int side, const char* variant) {
    return direct_rows(convolution_problem(DirectConvolution(direct_program(1, side, 64, kPlain)).group()),
                       *direct_channels({variant}));
  };
  EXPECT_EQ(rows(30, "direct_8"), 32);
  EXPECT_EQ(rows(18, "direct_8"), 16);
  EXPECT_EQ(rows(130, "direct_8"), 64);
  EXPECT_EQ(rows(10, "direct_32"), 8);
  EXPECT_EQ(rows(18, "direct_32"), 16);
  EXPECT_EQ(rows(10, "direct_64"), 8);
}

// Measured on an H200: 2,941 us by direct_32, 3,065 by direct_64, in an earlier form of the kernel.
TEST(DirectConvolutionSettings, AreEstimatedAsMeasured) {
  const DirectConvolution images(direct_program(8, 256, 64, kPlain));
  EXPECT_NEAR(images.arithmetic_us("direct_64"), 3000, 400);
  EXPECT_NEAR(images.arithmetic_us("direct_32"), 3000, 400);
  EXPECT_GT(images.arithmetic_us("direct_8"), images.arithmetic_us("direct_32"));
}

// Volumes of `last` elements along their last axis, where the window is one element.
std::string volume_program(int last, const std::string& padding) {
  return "graph g mode=eval\nx: f32[16,3,256,256," + std::to_string(last) +
         "] = input \"x\"\nw: f32[64,3,3,3,1] = parameter \"w\"\ny = conv3d(x, w, none; stride=[1,1,1], padding=" +
         padding + ", dilation=[1,1,1], groups=1)\nreturn output \"0\" = y\n";
}

TEST(DirectConvolutionSettings, TakeAShortLastAxisAlongWithTheOneBefore) {
  const auto of_full_tiles = [](int last, const std::string& padding) {
    const DirectConvolution volumes(volume_program(last, padding));
    const DirectConvolution full(volume_program(32, "[0,0,0]"));
    return volumes.arithmetic_us("direct_64") / full.arithmetic_us("direct_64");
  };
  EXPECT_NEAR(of_full_tiles(10, "[0,0,0]"), 10.0 / 32, 0.1);
  EXPECT_NEAR(of_full_tiles(10, "[0,2,0]"), 10.0 / 32, 0.1);
  EXPECT_GT(of_full_tiles(10, "[0,0,1]"), 0.9);  // tiles of 32 pixels, of which 12 are there
}

}  // namespace
}  // namespace stitch::kernels
