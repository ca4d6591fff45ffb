// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/direct_windows.h"

#include <gtest/gtest.h>

#include "kernels/code/step_code.h"
#include "kernels/conv/windowed.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

using Names = std::vector<std::string>;

// `rest`: statements on y, the result of a convolution of strides of one; the last makes z.
std::string chain_program(const std::string& images, const std::string& weight, const std::string& rest) {
  const bool is_volume = std::count(weight.begin(), weight.end(), ',') > 3;
  const std::string ones = is_volume ? "[1,1,1]" : "[1,1]";
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight + "] = parameter \"w\"\ny = conv" +
         (is_volume ? "3d" : "2d") + "(x, w, none; stride=" + ones + ", padding=" + (is_volume ? "[0,0,0]" : "[0,0]") +
         ", dilation=" + ones + ", groups=1)\n" + rest + "\nreturn output \"0\" = z\n";
}

constexpr const char* kLargest2d =
    "z = max_pool2d(y; kernel_size=[2,2], stride=[2,2], padding=[0,0], dilation=[1,1], ceil_mode=false)";

class Windowed : public AskedKernel {
 public:
  Windowed(const std::string& images, const std::string& weight, const std::string& rest)
      : AskedKernel(chain_program(images, weight, rest), make_windowed_convolution()) {}

  Names offered(MathMode math = MathMode::kFp32) const { return variants_of(space(math), "direct_windows"); }
  bool launches(const char* variant, const std::string& wanted) const {
    std::string text;
    for (const std::string& line : to_text(kernel().draft(group(), {variant}).value()).launch) {
      text += line + "\n";
    }
    return text.find(wanted) != std::string::npos;
  }
  double arithmetic_us(const char* variant) const {
    const Work counted = work({variant});
    return counted.padded_flops / (known_devices().front().fp16_flops * counted.peak_share) * 1e6;
  }
};

TEST(DirectWindows, FollowTheChannelsOfTheProblem) {
  EXPECT_EQ(Windowed("64,6,14,14", "16,6,5,5", kLargest2d).offered(), (Names{"direct_windows_fp16x3_16x8"}));
  EXPECT_EQ(Windowed("64,3,14,14", "24,3,5,5", kLargest2d).offered(), (Names{"direct_windows_fp16x3_24x4"}));
  EXPECT_TRUE(Windowed("64,9,14,14", "16,9,5,5", kLargest2d).offered().empty());
  EXPECT_EQ(Windowed("64,3,14,14", "64,3,5,5", kLargest2d).offered(), (Names{"direct_windows_fp16x3_32x4"}));
  EXPECT_TRUE(Windowed("64,3,14,14", "65,3,5,5", kLargest2d).offered().empty());
}

TEST(DirectWindows, WindowsLieSideBySideAndWithin) {
  const auto pool = [](const char* numbers) {
    return Windowed("4,3,14,14", "8,3,3,3", std::string("z = max_pool2d(y; ") + numbers + ")");
  };
  EXPECT_FALSE(
      pool("kernel_size=[3,4], stride=[3,4], padding=[0,0], dilation=[1,1], ceil_mode=false").offered().empty());
  EXPECT_TRUE(
      pool("kernel_size=[3,3], stride=[2,2], padding=[0,0], dilation=[1,1], ceil_mode=false").offered().empty());
  EXPECT_TRUE(
      pool("kernel_size=[2,2], stride=[2,2], padding=[1,1], dilation=[1,1], ceil_mode=false").offered().empty());
  EXPECT_TRUE(pool("kernel_size=[5,5], stride=[5,5], padding=[0,0], dilation=[1,1], ceil_mode=true").offered().empty());
}

TEST(DirectWindows, AxesAreReducedWhole) {
  const auto reduced = [](const char* statement) { return Windowed("4,3,9,8,10", "12,3,3,3,3", statement); };
  EXPECT_TRUE(reduced("z = amin(y; dim=[2], keepdim=false)")
                  .launches("direct_windows_fp16x3_16x4", "KeptAxes<false, true, true>"));
  EXPECT_TRUE(reduced("z = mean(y; dim=[2,4], keepdim=true)")
                  .launches("direct_windows_fp16x3_16x4", "KeptAxes<true, true, true>"));
  EXPECT_TRUE(
      reduced("z = sum(y; dim=[3], keepdim=false)").launches("direct_windows_fp16x3_16x4", "PooledWindow<1, 6, 1>"));
  EXPECT_TRUE(reduced("z = amax(y; dim=[1], keepdim=false)").offered().empty());
  EXPECT_TRUE(reduced("z = amax(y; dim=[0,2], keepdim=false)").offered().empty());
  EXPECT_TRUE(reduced("z = prod(y; dim=[2], keepdim=false)").offered().empty());
}

TEST(DirectWindows, SoftmaxesAreOverAllChannelsOfAWarp) {
  const std::string before = "a = softmax(y; dim=1)\n";
  const std::string reduction = "b = amin(a; dim=[2], keepdim=false)\n";
  const std::string behind = "z = softmax(b; dim=1)";
  const Windowed twice("4,3,9,8,10", "12,3,3,3,3", before + reduction + behind);
  EXPECT_EQ(twice.offered(), (Names{"direct_windows_fp16x3_16x4"}));
  EXPECT_TRUE(twice.launches("direct_windows_fp16x3_16x4", "stitch::SoftmaxOfChannels, stitch::SoftmaxOfChannels>"));
  EXPECT_FALSE(twice.allows({"direct_windows_fp16x3_8x4"}));
  EXPECT_TRUE(Windowed("4,3,9,8,10", "12,3,3,3,3", before + reduction + "z = softmax(b; dim=2)").offered().empty());
  EXPECT_TRUE(Windowed("4,3,9,8,10", "12,3,3,3,3", before + "z = relu(a)").offered().empty());
  // What is pooled needs more than the softmax.
  const Windowed both("4,3,9,8,10", "12,3,3,3,3", before + "c = add(a, y)\nz = amin(c; dim=[2], keepdim=false)");
  EXPECT_FALSE(both.kernel().fits(both.group()).ok);
}

// At reduced sizes the program's own setting stays, but for input channels beyond those there is room for.
TEST(DirectWindows, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(Windowed("1,2,9,9", "5,2,3,3", kLargest2d).allows({"direct_windows_fp16x3_24x8"}));
  EXPECT_FALSE(Windowed("1,5,9,9", "5,5,3,3", kLargest2d).allows({"direct_windows_fp16x3_24x4"}));
}

TEST(DirectWindows, ImagesOfFewWindowsShareAPatch) {
  EXPECT_FALSE(
      Windowed("4096,6,14,14", "16,6,5,5", kLargest2d).launches("direct_windows_fp16x3_16x8", "4, 1, 1, 5, 5>"));
  EXPECT_TRUE(Windowed("64,3,224,224", "16,3,3,3", kLargest2d).launches("direct_windows_fp16x3_16x4", ", 4, 1, 1, "));
}

// What is expected until it is measured: less than half of what the steps apart take on an H200.
TEST(DirectWindows, AreEstimatedByTheirProducts) {
  const Windowed least("128,3,24,32,32", "24,3,3,3,3", "a = amin(y; dim=[2], keepdim=false)\nz = softmax(a; dim=1)");
  EXPECT_NEAR(least.arithmetic_us("direct_windows_fp16x3_24x4"), 145, 20);
  const Windowed pools("128,3,16,32,32", "16,3,3,3,3",
                       "a = softmax(y; dim=1)\nz = max_pool3d(a; kernel_size=[4,4,4], stride=[4,4,4], padding=[0,0,0], "
                       "dilation=[1,1,1], ceil_mode=false)");
  EXPECT_NEAR(pools.arithmetic_us("direct_windows_fp16x3_16x4"), 80, 15);
}

}  // namespace
}  // namespace stitch::kernels
