// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/moments.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

using OfferedMoments = std::vector<std::string>;

// A convolution of x by w, whose result y is stored, and totals of it.
class ReducedConvolution {
 public:
  ReducedConvolution(const std::string& images, const std::string& weight, const std::string& call,
                     const std::string& totals)
      : graph_(ir::parse("graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
                             "] = parameter \"w\"\ny = " + call + "\n" + totals,
                         "sample")
                   .value()),
        group_(group_of_all(graph_, RootNode::kFirst, graph_.outputs.size())),
        kernel_(make_convolution_moments()) {}
  ReducedConvolution(const ReducedConvolution&) = delete;  // the group is of this graph
  ReducedConvolution& operator=(const ReducedConvolution&) = delete;

  OfferedMoments offered(MathMode math = MathMode::kFp32) const {
    return variants_of(kernel_->space(group_, known_devices().front(), math));
  }
  bool fits() const { return kernel_->fits(group_).ok; }
  bool allows(const char* variant) const { return kernel_->allows(group_, {variant}); }
  Work work(const char* variant) const { return kernel_->work(group_, {variant}); }
  int64_t scratch_bytes(const char* variant) const { return kernel_->shape(group_, {variant}).value().scratch_bytes; }
  bool launches(const char* variant, const std::string& text) const {
    const auto lines = to_text(kernel_->draft(group_, {variant}).value()).launch;
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }

 private:
  ir::Graph graph_;
  Group group_;
  std::unique_ptr<KernelTemplate> kernel_;
};

constexpr const char* kOfRows = "conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=1)";
constexpr const char* kByPhases =
    "conv_transpose3d(x, w, none; stride=[2,2,2], padding=[1,1,1], output_padding=[0,0,0], dilation=[1,1,1], groups=1)";
const std::string kAllReturned = "return output \"0\" = y, output \"1\" = m, output \"2\" = v\n";

std::string mean_and_variance(const std::string& dims) {
  return "m = mean(y; dim=[" + dims + "], keepdim=false)\nv = var(y; dim=[" + dims +
         "], correction=0, keepdim=false)\n" + kAllReturned;
}

ReducedConvolution reduced_pictures(const std::string& totals, const std::string& batch = "16") {
  return {batch + ",8,64,64", "64,8,3,3", kOfRows, totals};
}

TEST(ConvolutionMoments, AreTakenByWholeRows) {
  EXPECT_EQ(
      reduced_pictures(mean_and_variance("0,2,3")).offered(),
      (OfferedMoments{"direct_rows_fp16x3_64x8", "direct_fp16x3_64x8", "direct_fp16x3_32x8", "direct_fp16x3_16x8"}));
  EXPECT_TRUE(
      reduced_pictures(mean_and_variance("0,2,3")).launches("direct_rows_fp16x3_64x8", "store, stitch::ChannelRows{}"));
  EXPECT_TRUE(
      reduced_pictures(mean_and_variance("2,3")).launches("direct_rows_fp16x3_64x8", "store, stitch::ImageRows{1}"));
}

TEST(ConvolutionMoments, AreTakenFromPatches) {
  const ReducedConvolution phases("16,4,8,16,32", "4,16,3,3,3", kByPhases, mean_and_variance("0,2,3,4"));
  EXPECT_TRUE(phases.fits());
  EXPECT_TRUE(phases.launches("patch_tf32_16x32", "launch_conv_patch_moments<stitch::Tf32, stitch::PatchTile<1, 4>"));
  const ReducedConvolution groups("16,64,64,64", "128,64,3,3", kOfRows, mean_and_variance("0,2,3"));
  const OfferedMoments offered = groups.offered(MathMode::kReduced);
  EXPECT_EQ(std::count(offered.begin(), offered.end(), "patch_wgmma_16x16_32"), 1);
  EXPECT_TRUE(groups.launches("patch_wgmma_16x16_32", "launch_conv_patch_group_moments<stitch::GroupTile<16, 4>"));
  EXPECT_FALSE(groups.allows("tf32_128x128"));
}

TEST(ConvolutionMoments, OtherReductionsAreNotTaken) {
  EXPECT_FALSE(reduced_pictures(mean_and_variance("0,2")).fits());
  EXPECT_FALSE(reduced_pictures(mean_and_variance("1,2,3")).fits());
  EXPECT_FALSE(reduced_pictures("m = mean(y; dim=[0,2,3], keepdim=false)\nv = sum(y; dim=[0,2,3], keepdim=false)\n" +
                                kAllReturned)
                   .fits());
  EXPECT_FALSE(reduced_pictures("m = mean(y; dim=[0,2,3], keepdim=false)\nv = tanh(y)\n" + kAllReturned).fits());
  // What is reduced is not what is stored.
  EXPECT_FALSE(
      reduced_pictures("r = relu(y)\nm = mean(r; dim=[0,2,3], keepdim=false)\nv = var(r; dim=[0,2,3], correction=1, "
                       "keepdim=false)\n" +
                       kAllReturned)
          .fits());
}

TEST(ConvolutionMoments, AreTakenByLinesOfFewChannels) {
  const ReducedConvolution strides("16,3,16,64,64", "16,3,3,3,3",
                                   "conv3d(x, w, none; stride=[2,2,2], padding=[0,0,0], dilation=[1,1,1], groups=1)",
                                   mean_and_variance("2,3,4"));
  EXPECT_TRUE(strides.launches("direct_fp16x3_16x4", "launch_conv_direct_fp16_moments<stitch::DirectFp16Tile<1, 1, 2"));
  EXPECT_FALSE(strides.allows("direct_rows_fp16x3_64x4"));
}

// So that a plan's memory lies on a line through the batch.
TEST(ConvolutionMoments, PartsGrowWithTheBatchOrNot) {
  const auto bytes = [](const std::string& dims, const std::string& batch) {
    return reduced_pictures(mean_and_variance(dims), batch).scratch_bytes("direct_rows_fp16x3_64x8");
  };
  EXPECT_EQ(bytes("0,2,3", "3"), bytes("0,2,3", "300"));
  EXPECT_EQ(bytes("2,3", "300"), 100 * bytes("2,3", "3"));
}

TEST(ConvolutionMoments, CostMoreThanTheConvolution) {
  const Work work = reduced_pictures(mean_and_variance("0,2,3")).work("direct_rows_fp16x3_64x8");
  EXPECT_EQ(work.launches, 2);
  constexpr double kOutputs = 16.0 * 64 * 62 * 62;
  EXPECT_GT(work.serial_bytes, kOutputs);
}

}  // namespace
}  // namespace stitch::kernels
