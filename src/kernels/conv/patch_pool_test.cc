// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/conv/pooled.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

using Variants = std::vector<std::string>;

// `call`: of x and w, whose result is y; `pool`: of y.
std::string pool_program(const std::string& images, const std::string& weight, const std::string& call,
                         const std::string& pool) {
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
         "] = parameter \"w\"\ny = " + call + "\nz = " + pool + "\nreturn output \"0\" = z\n";
}

std::string transposed3d(const std::string& stride) {
  return "conv_transpose3d(x, w, none; stride=[" + stride +
         "], padding=[1,1,1], output_padding=[0,0,0], dilation=[1,1,1], groups=1)";
}

std::string largest3d(const std::string& window) {
  return "max_pool3d(y; kernel_size=[" + window + "], stride=[" + window +
         "], padding=[0,0,0], dilation=[1,1,1], ceil_mode=false)";
}

constexpr const char* kForward2d = "conv2d(x, w, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)";

class PooledByPatches : public AskedKernel {
 public:
  explicit PooledByPatches(const std::string& text) : AskedKernel(text, make_pooled_convolution()) {}

  Variants offered(MathMode math = MathMode::kKernelBench) const { return variants_of(space(math), "patch_"); }
  std::string launch(const Setting& setting) const {
    std::string text;
    for (const std::string& line : to_text(kernel().draft(group(), setting).value()).launch) {
      text += line + "\n";
    }
    return text;
  }
  bool launches(const char* variant, const std::string& text) const {
    return launch({variant}).find(text) != std::string::npos;
  }
};

PooledByPatches phases(const std::string& stride, const std::string& window) {
  return PooledByPatches(pool_program("16,8,8,32,32", "8,16,3,3,3", transposed3d(stride), largest3d(window)));
}

TEST(PatchPools, WindowsAreTakenWherePhasesHaveThem) {
  EXPECT_EQ(phases("2,2,2", "2,2,2").offered(), (Variants{"patch_tf32_16x32", "patch_fp16_16x32"}));
  EXPECT_EQ(phases("2,2,2", "1,2,4").offered(), (Variants{"patch_tf32_16x32", "patch_fp16_16x32"}));
  EXPECT_TRUE(phases("2,2,2", "4,2,2").offered().empty());
  EXPECT_TRUE(phases("2,2,2", "2,2,3").offered().empty());
  EXPECT_TRUE(
      phases("2,2,2", "2,2,2").launches("patch_tf32_16x32", "Tf32, Tile, Window, stitch::LargestOfWindow, 2, 2, 2>"));
}

TEST(PatchPools, RowsOfOneWindowAreStackedToAPlace) {
  const auto forward = [](const std::string& window) {
    return PooledByPatches(pool_program("16,16,64,64", "32,16,3,3", kForward2d,
                                        "avg_pool2d(y; kernel_size=[" + window + "], stride=[" + window +
                                            "], padding=[0,0], ceil_mode=false, count_include_pad=true, "
                                            "divisor_override=0)"));
  };
  EXPECT_TRUE(forward("2,2").launches("patch_fp16_32x32", "using Places = stitch::Stacked<Window, 1, 2>;"));
  EXPECT_FALSE(forward("4,8").offered().empty());
  // Three neighbouring outputs are not in one thread, nor in lanes of a power of two.
  EXPECT_TRUE(forward("2,3").offered().empty());
  // Their sums would need more registers than there are.
  const Variants of_four = forward("4,2").offered();
  EXPECT_EQ(std::count(of_four.begin(), of_four.end(), "patch_fp16_32x64"), 0);
}

TEST(PatchPools, FewChannelsAreFoldedToo) {
  const PooledByPatches pool(pool_program(
      "16,8,16,64,64", "16,8,3,3,3", "conv3d(x, w, none; stride=[1,1,1], padding=[0,0,0], dilation=[1,1,1], groups=1)",
      largest3d("2,2,2")));
  EXPECT_TRUE(pool.launches("patch_fp16_16x32", "stitch::Folded<stitch::Stacked<Window, 2, 2>, 2>"));
}

PooledByPatches least(int64_t channels, const std::string& reduction = "amin(y; dim=[1], keepdim=true)") {
  return PooledByPatches(pool_program("16,16,64,64", std::to_string(channels) + ",16,3,3", kForward2d, reduction));
}

TEST(PatchPools, BlocksWithoutAllChannelsLeaveParts) {
  EXPECT_TRUE(least(64).launches("patch_tf32_64x32", "launch_conv_patch_channels<"));
  EXPECT_TRUE(least(64).launches("patch_tf32_64x32", "stitch::SmallestOfChannels"));
  EXPECT_TRUE(least(64).launches("patch_tf32_32x64", "launch_conv_patch_channel_parts<"));
  constexpr int64_t kParts = 4 * 2 * 16 * 64 * 64;
  EXPECT_GE(least(64).shape({"patch_tf32_32x64"}).scratch_bytes, kParts);
  EXPECT_LT(least(64).shape({"patch_tf32_64x64"}).scratch_bytes, kParts);
}

// Tiles of 128 channels only where all of them are joined.
TEST(PatchPools, WideTilesHaveAllChannels) {
  const auto has_wide = [](const Variants& names) {
    return std::count(names.begin(), names.end(), "patch_fp16_128x32") == 1;
  };
  EXPECT_TRUE(has_wide(least(120).offered()));
  EXPECT_FALSE(has_wide(least(130).offered()));
  EXPECT_FALSE(has_wide(PooledByPatches(pool_program("16,16,64,64", "128,16,3,3", kForward2d,
                                                     "max_pool2d(y; kernel_size=[2,2], stride=[2,2], padding=[0,0], "
                                                     "dilation=[1,1], ceil_mode=false)"))
                            .offered()));
}

TEST(PatchPools, OtherReductionsAreNotJoined) {
  EXPECT_TRUE(least(64, "amin(y; dim=[2], keepdim=true)").offered().empty());
  EXPECT_TRUE(least(64, "amin(y; dim=[1,2], keepdim=true)").offered().empty());
  EXPECT_TRUE(least(64, "var(y; dim=[1], correction=1, keepdim=true)").offered().empty());
  EXPECT_TRUE(least(64, "mean(y; dim=[2,3], keepdim=true)").offered().empty());
}

// fp32's class multiplies three times; the mode of the baseline rounds as the convolution alone would.
TEST(PatchPools, ProductsAreThoseOfTheMode) {
  const Variants exact = least(32).offered(MathMode::kFp32);
  EXPECT_FALSE(exact.empty());
  EXPECT_TRUE(std::all_of(exact.begin(), exact.end(),
                          [](const std::string& name) { return name.rfind("patch_tf32x3", 0) == 0; }));
}

TEST(PatchPools, WhatIsNotStoredIsNotCounted) {
  const PooledByPatches pool = phases("2,2,2", "2,2,2");
  constexpr double kOutputs = 16.0 * 16 * 15 * 63 * 63;
  EXPECT_LT(pool.work({"patch_tf32_16x32"}).bytes, 4 * kOutputs / 4);
}

// bench/results/kernels-h200.md, without packing and the outputs' own time.
TEST(PatchPools, AreEstimatedAsMeasured) {
  const auto arithmetic_us = [](const PooledByPatches& pool, const char* variant) {
    constexpr double kPeakTf32 = 494e12;
    const Work counted = pool.work({variant});
    return counted.padded_flops / (kPeakTf32 * counted.peak_share) * 1e6;
  };
  const PooledByPatches stacked(
      pool_program("128,64,256,256", "64,64,3,3",
                   "conv_transpose2d(x, w, none; stride=[1,1], padding=[1,1], output_padding=[0,0], dilation=[1,1], "
                   "groups=1)",
                   "max_pool2d(y; kernel_size=[2,2], stride=[2,2], padding=[0,0], dilation=[1,1], ceil_mode=false)"));
  EXPECT_NEAR(arithmetic_us(stacked, "patch_tf32_64x32"), 2980, 150);
  // An exponential for each output costs as much as the rest of what becomes of it.
  const auto over_channels = [](const char* reduction) {
    return pool_program("128,3,16,32,32", "3,16,3,3,3", transposed3d("2,2,2"), reduction);
  };
  const PooledByPatches largest(over_channels("amax(y; dim=[1], keepdim=true)"));
  const PooledByPatches total(over_channels("logsumexp(y; dim=[1], keepdim=true)"));
  EXPECT_NEAR(total.work({"patch_tf32_16x32"}).serial_bytes - largest.work({"patch_tf32_16x32"}).serial_bytes,
              2.0 * 128 * 16 * 31 * 63 * 63, 1);
}

}  // namespace
}  // namespace stitch::kernels
