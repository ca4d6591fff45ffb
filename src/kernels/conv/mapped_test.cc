// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/mapped.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// A convolution of what `chain` makes of x, s, t and m (numbers of channels) and o (as large as x), called `z`.
std::string mapped_program(const std::string& chain, const std::string& weight = "64,40,1,1",
                           const std::string& padding = "0,0", const std::string& stride = "1,1") {
  return fmt::format(
      "graph g mode=eval\nx: f32[16,40,28,28] = input \"x\"\no: f32[16,40,28,28] = input \"o\"\n"
      "i: f32[16,40,1,1] = input \"i\"\ns: f32[40,1,1] = parameter \"s\"\nt: f32[1,40,1,1] = parameter \"t\"\n"
      "c: f32[28,28] = parameter \"c\"\nw: f32[{}] = parameter \"w\"\n{}"
      "y = conv2d(z, w, none; stride=[{}], padding=[{}], dilation=[1,1], groups=1)\nreturn output \"0\" = y\n",
      weight, chain, stride, padding);
}

class Mapped : public AskedKernel {
 public:
  explicit Mapped(const std::string& text) : AskedKernel(text, make_mapped_convolution(), RootNode::kLast) {}

  std::vector<std::string> offered(MathMode math = MathMode::kKernelBench) const { return variants_of(space(math)); }
  bool is_possible() const { return mapped_from(group()).has_value(); }
  bool fits() const { return kernel().fits(group()).ok; }
  std::string text(const Setting& setting) const {
    const StepCode code = to_text(kernel().draft(group(), setting).value());
    std::string all;
    for (const Functor& functor : code.functors) {
      for (const Method& method : functor.methods) {
        all += method.signature + "\n";
      }
    }
    for (const std::string& line : code.launch) {
      all += line + "\n";
    }
    return all;
  }
};

constexpr const char* kNorm = "a = mul(x, s)\nb = add(a, t)\nz = relu(b)\n";

TEST(MappedConvolution, IsOfOneTensorAndNumbersOfChannels) {
  EXPECT_TRUE(Mapped(mapped_program(kNorm)).is_possible());
  EXPECT_TRUE(Mapped(mapped_program(kNorm)).fits());
  EXPECT_TRUE(Mapped(mapped_program("z = silu(x)\n")).is_possible());
  EXPECT_TRUE(Mapped(mapped_program("a = mul(x, x)\nz = add(a, x)\n")).is_possible());
}

TEST(MappedConvolution, IsRefusedWhereImagesOrPixelsDiffer) {
  EXPECT_FALSE(Mapped(mapped_program("z = mul(x, i)\n")).is_possible());
  EXPECT_FALSE(Mapped(mapped_program("z = mul(x, c)\n")).is_possible());
  EXPECT_FALSE(Mapped(mapped_program("z = add(x, o)\n")).is_possible());
  EXPECT_FALSE(Mapped(mapped_program("a = permute(x; dims=[0,1,3,2])\nb = add(a, t)\nz = relu(b)\n")).is_possible());
  EXPECT_FALSE(Mapped(mapped_program("a = uniform(o; stream=0)\nz = mul(a, x)\n")).is_possible());
}

TEST(MappedConvolution, TakesSettingsThatLeaveRegisters) {
  const std::vector<std::string> points = Mapped(mapped_program(kNorm, "192,40,1,1")).offered();
  EXPECT_EQ(std::count(points.begin(), points.end(), "pointwise_wgmma_256x192"), 0);
  EXPECT_EQ(std::count(points.begin(), points.end(), "pointwise_wgmma_256x96"), 1);
  EXPECT_FALSE(Mapped(mapped_program(kNorm, "192,40,1,1")).allows({"pointwise_wgmma_256x192"}));
  const std::vector<std::string> windows = Mapped(mapped_program(kNorm, "64,40,3,3", "1,1", "2,2")).offered();
  EXPECT_GE(std::count(windows.begin(), windows.end(), "window_wgmma_128x64"), 1);
  EXPECT_TRUE(Mapped(mapped_program(kNorm, "64,40,5,5", "2,2")).offered().empty());
  EXPECT_FALSE(Mapped(mapped_program(kNorm, "64,40,5,5", "2,2")).allows({"window_wgmma_128x64"}));
}

TEST(MappedConvolution, RoundsWhereTheBaselineDoes) {
  for (const std::string& variant : Mapped(mapped_program(kNorm)).offered(MathMode::kFp32)) {
    EXPECT_TRUE(variant.starts_with("pointwise_tf32x3_")) << variant;
  }
  EXPECT_TRUE(Mapped(mapped_program(kNorm, "64,40,3,3", "1,1")).offered(MathMode::kFp32).empty());
  EXPECT_FALSE(Mapped(mapped_program(kNorm)).offered(MathMode::kTf32).empty());
  EXPECT_FALSE(Mapped(mapped_program(kNorm)).allows({"tf32_64x64"}));
  EXPECT_FALSE(Mapped(mapped_program(kNorm)).allows({"cudnn_tf32"}));
}

TEST(MappedConvolution, HandsItsMapToTheLaunch) {
  const std::string points = Mapped(mapped_program(kNorm)).text({"pointwise_wgmma_128x64"});
  EXPECT_NE(points.find("launch_conv_kept_pointwise_wgmma<stitch::PointwiseTile<1, 64>>("), std::string::npos);
  EXPECT_NE(points.find("args->kept, stream, map);"), std::string::npos);
  EXPECT_NE(points.find("float operator()(int64_t channel, float value) const"), std::string::npos);
  const std::string cluster = Mapped(mapped_program(kNorm)).text({"pointwise_wgmma_128x64", 2});
  EXPECT_NE(cluster.find("launch_conv_kept_pointwise_cluster<stitch::PointwiseTile<1, 64>, 2>("), std::string::npos);
  const std::string windows = Mapped(mapped_program(kNorm, "64,40,3,3", "1,1")).text({"window_wgmma_128x64", 2});
  EXPECT_NE(windows.find("launch_conv_kept_window_wgmma<stitch::PointwiseTile<1, 64>, Window, 2>("), std::string::npos);
}

// In fp32, of whatever device.
TEST(MappedConvolution, IsDepthwiseToo) {
  std::string text = mapped_program(kNorm, "80,1,3,3", "1,1");
  text.replace(text.find("groups=1"), 8, "groups=40");
  const Mapped depthwise(text);
  EXPECT_EQ(depthwise.offered(MathMode::kFp32), (std::vector<std::string>{"depthwise"}));
  EXPECT_NE(depthwise.text({"depthwise"}).find("shape, input, weight, epilogue, stream, map);"), std::string::npos);
  EXPECT_FALSE(depthwise.allows({"window_wgmma_128x64"}));
  EXPECT_FALSE(Mapped(mapped_program(kNorm)).allows({"depthwise"}));
}

// Each block of output channels maps what it reads.
TEST(MappedConvolution, CostsMoreOfDearMapsAndOfManyBlocks) {
  const auto operations = [](const char* chain, const char* weight) {
    return Mapped(mapped_program(chain, weight)).work({"pointwise_wgmma_128x64"}).lane_operations;
  };
  EXPECT_GT(operations("z = silu(x)\n", "64,40,1,1"), operations("z = relu(x)\n", "64,40,1,1"));
  EXPECT_GT(operations("z = relu(x)\n", "512,40,1,1"), 4 * operations("z = relu(x)\n", "64,40,1,1"));
}

}  // namespace
}  // namespace stitch::kernels
