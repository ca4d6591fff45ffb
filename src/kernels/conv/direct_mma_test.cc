// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_mma.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/conv/direct_fixture.h"

namespace stitch::kernels {
namespace {

class DirectMmaConvolution : public AskedKernel {
 public:
  explicit DirectMmaConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math = MathMode::kFp32,
                                   const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(math, limits), "direct_tf32x3");
  }
  // Of arithmetic on a full device.
  double arithmetic_us(const char* variant) const {
    constexpr double kPeak = 494e12;
    const Work counted = work({variant});
    return counted.padded_flops / (kPeak * counted.peak_share) * 1e6;
  }
};

using Names = std::vector<std::string>;

TEST(DirectMmaSettings, FollowTheChannelsOfTheProblem) {
  EXPECT_EQ(DirectMmaConvolution(direct_program("128,8,64,64", "64,8,3,3")).offered(),
            (Names{"direct_tf32x3_64x8", "direct_tf32x3_64x4", "direct_tf32x3_32x8", "direct_tf32x3_32x4",
                   "direct_tf32x3_groups_64", "direct_tf32x3_groups_32"}));
  EXPECT_EQ(DirectMmaConvolution(direct_program("128,3,64,64", "16,3,3,3")).offered(),
            (Names{"direct_tf32x3_32x4", "direct_tf32x3_groups_32"}));
  EXPECT_TRUE(DirectMmaConvolution(direct_program("128,64,64,64", "64,64,3,3")).offered().empty());
}

TEST(DirectMmaSettings, AreExactAndOfOneGroup) {
  EXPECT_TRUE(DirectMmaConvolution(direct_program("4,8,32,32", "8,4,3,3", "2")).offered().empty());
  EXPECT_FALSE(DirectMmaConvolution(direct_program("4,8,32,32", "8,4,3,3", "2")).allows({"direct_tf32x3_32x4"}));
  // Sixteen channels are rounded there, as the baseline rounds them.
  const DirectMmaConvolution sixteen(direct_program("128,16,64,64", "64,16,3,3"));
  EXPECT_TRUE(sixteen.offered(MathMode::kKernelBench).empty());
  EXPECT_FALSE(sixteen.offered(MathMode::kFp32).empty());
}

// By groups of warps: where wgmma is, of two axes, and of few channels that are all taken at a time.
TEST(DirectMmaSettings, ByGroupsAreOfEightChannels) {
  const auto offers = [](const char* images, const char* weight) {
    const Names names = DirectMmaConvolution(direct_program(images, weight)).offered();
    return std::count(names.begin(), names.end(), "direct_tf32x3_groups_64") == 1;
  };
  EXPECT_TRUE(offers("128,3,64,64", "64,3,3,3"));
  EXPECT_FALSE(offers("128,9,64,64", "64,9,3,3"));
  EXPECT_FALSE(offers("128,8,64,64", "32,8,3,3"));
  EXPECT_FALSE(offers("16,8,16,64,64", "64,8,3,3,3"));
  EXPECT_FALSE(offers("128,8,64,64", "64,8,9,9"));  // no room
  EXPECT_TRUE(DirectMmaConvolution(direct_program("1,2,9,9", "5,2,3,3")).allows({"direct_tf32x3_groups_64"}));
  const auto older = device_limits("A100");
  ASSERT_TRUE(older.has_value());
  const Names names = DirectMmaConvolution(direct_program("128,8,64,64", "64,8,3,3")).offered(MathMode::kFp32, *older);
  EXPECT_EQ(std::count(names.begin(), names.end(), "direct_tf32x3_groups_64"), 0);
}

// At reduced sizes the program's own setting stays.
TEST(DirectMmaSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(DirectMmaConvolution(direct_program("1,2,9,9", "5,2,3,3")).allows({"direct_tf32x3_64x8"}));
}

// Measured on an H200 with a plain epilogue: 2,568 us; a volume 7,425 us by 64 channels and 6,569 by 32.
TEST(DirectMmaSettings, AreEstimatedAsMeasured) {
  const DirectMmaConvolution images(direct_program("128,8,256,256", "64,8,3,3"));
  EXPECT_NEAR(images.arithmetic_us("direct_tf32x3_64x8"), 2568, 200);
  const DirectMmaConvolution volumes(direct_program("128,8,16,64,64", "64,8,3,3,3"));
  EXPECT_NEAR(volumes.arithmetic_us("direct_tf32x3_64x8"), 7425, 400);
  EXPECT_NEAR(volumes.arithmetic_us("direct_tf32x3_32x8"), 6569, 400);
}

}  // namespace
}  // namespace stitch::kernels
