// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_fp16.h"

#include <gtest/gtest.h>

#include "kernels/conv/direct_fixture.h"

namespace stitch::kernels {
namespace {

class DirectFp16Convolution : public AskedKernel {
 public:
  explicit DirectFp16Convolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math = MathMode::kFp32,
                                   const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(math, limits), "direct_fp16x3");
  }
  // Of arithmetic on a full device.
  double arithmetic_us(const char* variant) const {
    const Work counted = work({variant});
    return counted.padded_flops / (known_devices().front().fp16_flops * counted.peak_share) * 1e6;
  }
};

using Names = std::vector<std::string>;

TEST(DirectFp16Settings, FollowTheChannelsOfTheProblem) {
  EXPECT_EQ(DirectFp16Convolution(direct_program("16,3,64,64,64", "64,3,3,3,3")).offered(),
            (Names{"direct_fp16x3_64x4", "direct_fp16x3_32x4", "direct_fp16x3_16x4"}));
  EXPECT_EQ(DirectFp16Convolution(direct_program("128,3,24,32,32", "24,3,3,3,3")).offered(),
            (Names{"direct_fp16x3_32x4", "direct_fp16x3_16x4"}));
  EXPECT_EQ(DirectFp16Convolution(direct_program("128,5,64,64", "8,5,3,3")).offered(), (Names{"direct_fp16x3_16x8"}));
  EXPECT_TRUE(DirectFp16Convolution(direct_program("128,9,64,64", "64,9,3,3")).offered().empty());
}

TEST(DirectFp16Settings, AreOfOneGroupAndHaveRoom) {
  EXPECT_TRUE(DirectFp16Convolution(direct_program("4,8,32,32", "8,4,3,3", "2")).offered().empty());
  EXPECT_FALSE(DirectFp16Convolution(direct_program("4,8,32,32", "8,4,3,3", "2")).allows({"direct_fp16x3_16x4"}));
  EXPECT_FALSE(DirectFp16Convolution(direct_program("16,8,64,64,64", "64,8,9,9,9")).allows({"direct_fp16x3_64x8"}));
  // Smaller multiprocessors have no room for the weights of 64 channels.
  const auto smaller = device_limits("RTX-4090");
  ASSERT_TRUE(smaller.has_value());
  const DirectFp16Convolution box(direct_program("16,3,64,64,64", "64,3,3,5,7"));
  EXPECT_EQ(box.offered().size(), 3);
  EXPECT_LT(box.offered(MathMode::kFp32, *smaller).size(), 3);
}

// At reduced sizes the program's own setting stays, but for input channels beyond those there is room for.
TEST(DirectFp16Settings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(DirectFp16Convolution(direct_program("1,2,9,9", "5,2,3,3")).allows({"direct_fp16x3_64x8"}));
  EXPECT_FALSE(DirectFp16Convolution(direct_program("1,5,9,9", "5,5,3,3")).allows({"direct_fp16x3_64x4"}));
}

// Measured on an H200 with a plain epilogue.
TEST(DirectFp16Settings, AreEstimatedAsMeasured) {
  const DirectFp16Convolution box(direct_program("16,3,64,64,64", "64,3,3,5,7"));
  EXPECT_NEAR(box.arithmetic_us("direct_fp16x3_64x4"), 1542, 200);
  EXPECT_NEAR(box.arithmetic_us("direct_fp16x3_32x4"), 1729, 200);
  const DirectFp16Convolution volumes(direct_program("1024,3,16,32,32", "16,3,4,4,4"));
  EXPECT_NEAR(volumes.arithmetic_us("direct_fp16x3_16x4"), 1189, 120);
  const DirectFp16Convolution cube(direct_program("16,3,64,64,64", "64,3,3,3,3"));
  EXPECT_NEAR(cube.arithmetic_us("direct_fp16x3_64x4"), 632, 60);
  const DirectFp16Convolution images(direct_program("64,3,226,226", "64,3,3,3"));
  EXPECT_NEAR(images.arithmetic_us("direct_fp16x3_64x4"), 336, 30);
}

}  // namespace
}  // namespace stitch::kernels
