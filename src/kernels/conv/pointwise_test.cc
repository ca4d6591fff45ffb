// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/pointwise.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// A convolution of x by w, with a window that need not be one tap in steps of one.
std::string point_program(const std::string& images, const std::string& weight, const std::string& stride = "1,1",
                          const std::string& padding = "0,0", const std::string& groups = "1") {
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
         "] = parameter \"w\"\ny = conv2d(x, w, none; stride=[" + stride + "], padding=[" + padding +
         "], dilation=[1,1], groups=" + groups + ")\nreturn output \"0\" = y\n";
}

class PointwiseConvolution : public AskedKernel {
 public:
  explicit PointwiseConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math = MathMode::kKernelBench,
                                   const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(math, limits), "pointwise_wgmma");
  }
  // In fp32's class.
  std::vector<std::string> offered_exact(MathMode math = MathMode::kKernelBench,
                                         const DeviceLimits& limits = known_devices().front()) const {
    return variants_of(space(math, limits), "pointwise_tf32x3");
  }
  std::string launch(const char* variant, int64_t blocks = 1) const {
    std::string text;
    for (const std::string& line : to_text(kernel().draft(group(), {variant, blocks}).value()).launch) {
      text += line;
    }
    return text;
  }
};

using Names = std::vector<std::string>;

TEST(PointwiseSettings, AreOfOneTapInStepsOfOne) {
  EXPECT_FALSE(PointwiseConvolution(point_program("16,64,56,56", "256,64,1,1")).offered().empty());
  EXPECT_TRUE(PointwiseConvolution(point_program("16,64,56,56", "256,64,1,1", "2,2")).offered().empty());
  EXPECT_TRUE(PointwiseConvolution(point_program("16,64,56,56", "256,64,1,1", "1,1", "1,1")).offered().empty());
  EXPECT_TRUE(PointwiseConvolution(point_program("16,64,56,56", "256,64,3,3", "1,1", "1,1")).offered().empty());
  EXPECT_FALSE(
      PointwiseConvolution(point_program("16,64,56,56", "256,64,1,1", "2,2")).allows({"pointwise_wgmma_128x16"}));
  EXPECT_FALSE(PointwiseConvolution(point_program("16,64,56,56", "256,32,1,1", "1,1", "0,0", "2"))
                   .allows({"pointwise_wgmma_128x16"}));
}

TEST(PointwiseSettings, RoundWhereTheBaselineDoesAndWgmmaIs) {
  const PointwiseConvolution plain(point_program("16,64,56,56", "256,64,1,1"));
  EXPECT_TRUE(plain.offered(MathMode::kFp32).empty());
  EXPECT_FALSE(plain.offered(MathMode::kTf32).empty());
  EXPECT_TRUE(PointwiseConvolution(point_program("16,6,56,56", "64,6,1,1")).offered().empty());
  const auto older = device_limits("A100");
  ASSERT_TRUE(older.has_value());
  EXPECT_TRUE(plain.offered(MathMode::kKernelBench, *older).empty());
}

TEST(PointwiseSettings, FollowTheOutputChannels) {
  const auto offered = [](const std::string& channels) {
    return PointwiseConvolution(point_program("16,64,56,56", channels + ",64,1,1")).offered();
  };
  EXPECT_EQ(offered("10"), (Names{"pointwise_wgmma_128x16"}));
  EXPECT_EQ(offered("32"), (Names{"pointwise_wgmma_128x32"}));
  EXPECT_EQ(offered("64"), (Names{"pointwise_wgmma_256x64", "pointwise_wgmma_128x64"}));
  EXPECT_EQ(offered("192"), (Names{"pointwise_wgmma_256x192", "pointwise_wgmma_256x96", "pointwise_wgmma_256x64",
                                   "pointwise_wgmma_128x64"}));
}

TEST(PointwiseSettings, OfTwoPartsAreOfWhatIsNotRounded) {
  const PointwiseConvolution plain(point_program("16,64,56,56", "256,64,1,1"));
  EXPECT_FALSE(plain.offered_exact(MathMode::kFp32).empty());
  EXPECT_TRUE(plain.offered_exact(MathMode::kKernelBench).empty());
  EXPECT_TRUE(plain.offered_exact(MathMode::kTf32).empty());
  const PointwiseConvolution grouped(point_program("16,120,56,56", "480,40,1,1", "1,1", "0,0", "3"));
  EXPECT_FALSE(grouped.offered_exact(MathMode::kKernelBench).empty());
  EXPECT_FALSE(grouped.offered_exact(MathMode::kTf32).empty());
  EXPECT_TRUE(grouped.offered().empty());
  const auto older = device_limits("A100");
  ASSERT_TRUE(older.has_value());
  EXPECT_TRUE(grouped.offered_exact(MathMode::kKernelBench, *older).empty());
  EXPECT_FALSE(grouped.allows({"pointwise_tf32x3_128x64", 2})) << "no clusters";
}

TEST(PointwiseSettings, OfTwoPartsFollowTheOutputChannelsOfAGroup) {
  const auto offered = [](const std::string& channels) {
    return PointwiseConvolution(point_program("10,96,56,56", channels + ",32,1,1", "1,1", "0,0", "3")).offered_exact();
  };
  EXPECT_EQ(offered("60"), (Names{"pointwise_tf32x3_128x32"}));
  EXPECT_EQ(offered("120"), (Names{"pointwise_tf32x3_256x40", "pointwise_tf32x3_128x40"}));
  EXPECT_EQ(offered("240"), (Names{"pointwise_tf32x3_256x80", "pointwise_tf32x3_256x40", "pointwise_tf32x3_128x80",
                                   "pointwise_tf32x3_128x40"}));
}

// Two blocks of 40 channels for each of three groups, of three slices with 128 bytes of each of two parts.
TEST(PointwiseSettings, OfTwoPartsArrangeBlocksOfOneGroup) {
  constexpr int64_t kBytesInParts = int64_t{3} * 2 * 40 * 3 * 2 * 128;
  const PointwiseConvolution grouped(point_program("10,195,56,56", "213,65,1,1", "1,1", "0,0", "3"));
  EXPECT_EQ(grouped.shape({"pointwise_tf32x3_128x40"}).kept_bytes, kBytesInParts);
  EXPECT_EQ(grouped.work({"pointwise_tf32x3_128x40"}).blocks, 6 * 245);
  const std::string launch = grouped.launch("pointwise_tf32x3_256x80");
  EXPECT_NE(launch.find("launch_arrange_pointwise<stitch::PointwiseTile<2, 80, 2>>(shape, weight, args->kept"),
            std::string::npos);
  EXPECT_NE(launch.find("launch_conv_kept_pointwise_tf32x3<stitch::PointwiseTile<2, 80, 2>>("), std::string::npos);
}

// At reduced sizes the program's own setting stays.
TEST(PointwiseSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(PointwiseConvolution(point_program("1,2,7,7", "5,2,1,1")).allows({"pointwise_wgmma_256x192"}));
}

// Weights in blocks of output channels by 32 input channels.
constexpr int64_t kArrangedBytes = int64_t{2} * 64 * 3 * 128;

TEST(PointwiseSettings, ArrangeGivenWeightsOnceForAll) {
  const PointwiseConvolution plain(point_program("16,65,56,56", "100,65,1,1"));
  EXPECT_EQ(plain.shape({"pointwise_wgmma_128x64"}).kept_bytes, kArrangedBytes);
  EXPECT_EQ(plain.shape({"pointwise_wgmma_128x64"}).scratch_bytes, 0);
  const std::string launch = plain.launch("pointwise_wgmma_256x192");
  EXPECT_NE(launch.find("launch_arrange_pointwise<stitch::PointwiseTile<2, 192>>(shape, weight, args->kept"),
            std::string::npos);
  EXPECT_NE(launch.find("launch_conv_kept_pointwise_wgmma<stitch::PointwiseTile<2, 192>>("), std::string::npos);
}

TEST(PointwiseSettings, ArrangeTheWeightsOfACallInItsScratchMemory) {
  std::string text = point_program("16,65,56,56", "100,65,1,1");
  text.replace(text.find("parameter \"w\""), 13, "input \"w\"");
  const PointwiseConvolution computed(text);
  EXPECT_EQ(computed.shape({"pointwise_wgmma_128x64"}).kept_bytes, 0);
  EXPECT_EQ(computed.shape({"pointwise_wgmma_128x64"}).scratch_bytes, kArrangedBytes);
  EXPECT_NE(
      computed.launch("pointwise_wgmma_256x192").find("launch_conv_pointwise_wgmma<stitch::PointwiseTile<2, 192>>("),
      std::string::npos);
  const PointwiseConvolution plain(point_program("16,65,56,56", "100,65,1,1"));
  EXPECT_LT(plain.work({"pointwise_wgmma_128x64"}).serial_bytes,
            computed.work({"pointwise_wgmma_128x64"}).serial_bytes);
  EXPECT_EQ(plain.work({"pointwise_wgmma_128x64"}).launches + 1, computed.work({"pointwise_wgmma_128x64"}).launches);
}

std::vector<int64_t> clusters_of(const PointwiseConvolution& convolution, const std::string& variant) {
  std::vector<int64_t> blocks;
  for (const Setting& setting : convolution.space(MathMode::kKernelBench, known_devices().front())) {
    if (setting.variant == variant && setting.splits > 1) {
      blocks.push_back(setting.splits);
    }
  }
  return blocks;
}

// 1,960 places are 16 tiles; 264 blocks run at once.
TEST(PointwiseSettings, ShareManyInputChannelsOfFewPlaces) {
  const std::string variant = "pointwise_wgmma_128x64";
  const PointwiseConvolution deep(point_program("10,1024,14,14", "256,1024,1,1"));
  EXPECT_EQ(clusters_of(deep, variant), (std::vector<int64_t>{2, 4, 8}));
  EXPECT_EQ(deep.work({variant, 4}).blocks, 4 * deep.work({variant, 1}).blocks);
  EXPECT_NE(
      deep.launch(variant.c_str(), 4).find("launch_conv_kept_pointwise_cluster<stitch::PointwiseTile<1, 64>, 4>("),
      std::string::npos);
  EXPECT_EQ(deep.shape({variant, 4}).kept_bytes, int64_t{4} * 256 * 1024);
  const PointwiseConvolution wide(point_program("10,256,14,14", "1024,256,1,1"));
  EXPECT_EQ(clusters_of(wide, variant), (std::vector<int64_t>{2})) << "256 blocks alone";
  const PointwiseConvolution shallow(point_program("10,96,14,14", "64,96,1,1"));
  EXPECT_TRUE(clusters_of(shallow, variant).empty()) << "three slices";
}

TEST(PointwiseSettings, AreSharedByNoOddNumberOfBlocksAndOfKeptWeightsAlone) {
  const std::string text = point_program("10,1024,14,14", "256,1024,1,1");
  EXPECT_FALSE(PointwiseConvolution(text).allows({"pointwise_wgmma_128x64", 3}));
  EXPECT_FALSE(PointwiseConvolution(text).allows({"pointwise_wgmma_256x64", 2}));
  std::string computed = text;
  computed.replace(computed.find("parameter \"w\""), 13, "input \"w\"");
  EXPECT_FALSE(PointwiseConvolution(computed).allows({"pointwise_wgmma_128x64", 2}));
  EXPECT_TRUE(clusters_of(PointwiseConvolution(computed), "pointwise_wgmma_128x64").empty());
}

// All blocks of channels read the input, from the cache but for the first; images of odd sizes are copied place by
// place.
TEST(PointwiseSettings, CostWhatIsReadAgain) {
  const PointwiseConvolution wide(point_program("10,480,224,224", "192,480,1,1"));
  EXPECT_LT(wide.work({"pointwise_wgmma_256x192"}).extra_bytes, wide.work({"pointwise_wgmma_256x64"}).extra_bytes);
  const Work odd = PointwiseConvolution(point_program("10,64,7,7", "64,64,1,1")).work({"pointwise_wgmma_128x64"});
  const Work even = PointwiseConvolution(point_program("10,64,8,8", "64,64,1,1")).work({"pointwise_wgmma_128x64"});
  EXPECT_GT(odd.serial_bytes, even.serial_bytes);
}

}  // namespace
}  // namespace stitch::kernels
