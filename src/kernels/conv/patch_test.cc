// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/patch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// `call`: the convolution of x by w and its window.
std::string patch_program(const std::string& images, const std::string& weight, const std::string& call) {
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight +
         "] = parameter \"w\"\ny = " + call + "\nreturn output \"0\" = y\n";
}

std::string transposed(const std::string& stride, const std::string& groups = "1") {
  return "conv_transpose2d(x, w, none; stride=[" + stride +
         "], padding=[1,1], output_padding=[0,0], dilation=[1,1], groups=" + groups + ")";
}

constexpr const char* kOnwards = "conv2d(x, w, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)";

class PatchConvolution : public AskedKernel {
 public:
  explicit PatchConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math, const DeviceLimits& limits = known_devices().front()) const {
    std::vector<std::string> names = variants_of(space(math, limits), "patch_tf32");
    const std::vector<std::string> scaled = variants_of(space(math, limits), "patch_fp16");
    names.insert(names.end(), scaled.begin(), scaled.end());
    return names;
  }
  // Taps that are one in the launch of a setting.
  std::string fold(const Setting& setting) const {
    std::string launch;
    for (const std::string& line : to_text(kernel().draft(group(), setting).value()).launch) {
      launch += line;
    }
    const size_t at = launch.find("Folded<Window, ");
    return at == std::string::npos ? "1" : launch.substr(at + std::string("Folded<Window, ").size(), 1);
  }
  // Of arithmetic on a full device.
  double arithmetic_us(const char* variant) const {
    constexpr double kPeakTf32 = 494e12, kPeakFp16 = 989e12;
    const Work counted = work({variant});
    const double peak = counted.pipe == Pipe::kFp16 ? kPeakFp16 : kPeakTf32;
    return counted.padded_flops / (peak * counted.peak_share) * 1e6;
  }
};

using Names = std::vector<std::string>;

Names with(const char* arithmetic, const Names& names) {
  Names found;
  for (const std::string& name : names) {
    if (name.find(arithmetic) != std::string::npos) {
      found.push_back(name);
    }
  }
  return found;
}

TEST(PatchSettings, PhasesShareTheRegisters) {
  const auto names = [](const std::string& stride, const char* weight = "64,64,3,3") {
    return PatchConvolution(patch_program("16,64,128,128", weight, transposed(stride))).offered(MathMode::kKernelBench);
  };
  EXPECT_EQ(names("2,2"), (Names{"patch_tf32_32x32", "patch_tf32_16x64", "patch_tf32_16x32", "patch_fp16_32x32",
                                 "patch_fp16_16x64", "patch_fp16_16x32"}));
  EXPECT_EQ(names("2,4"), (Names{"patch_tf32_16x32", "patch_fp16_16x32"}));
  EXPECT_EQ(names("3,3"), (Names{"patch_tf32_16x32", "patch_fp16_16x32"}));
  EXPECT_EQ(names("5,5"), names("3,3"));  // most phases have no taps
  EXPECT_TRUE(names("4,4", "64,64,4,4").empty());
  EXPECT_EQ(names("1,1").front(), "patch_tf32_64x64");
}

// The baseline rounds what has one group and leaves what has several.
TEST(PatchSettings, RoundWhereTheBaselineDoes) {
  const PatchConvolution grouped(patch_program("16,32,128,256", "32,16,3,3", transposed("2,2", "4")));
  EXPECT_EQ(grouped.offered(MathMode::kKernelBench), (Names{"patch_tf32x3_16x32"}));
  const PatchConvolution plain(patch_program("16,32,64,64", "64,32,3,3", kOnwards));
  EXPECT_FALSE(plain.offered(MathMode::kTf32).empty());
  EXPECT_TRUE(plain.offered(MathMode::kFp32).empty());
}

TEST(PatchSettings, AreNotOfChannelsOrWindowsThatDoNotFillThem) {
  const auto offered = [](const char* images, const char* weight) {
    return PatchConvolution(patch_program(images, weight, kOnwards)).offered(MathMode::kTf32);
  };
  EXPECT_TRUE(with("tf32", offered("16,2,64,64", "64,2,3,3")).empty());
  EXPECT_TRUE(offered("16,64,64,64", "64,64,1,1").empty());
  EXPECT_TRUE(offered("16,64,64,64", "64,64,33,33").empty());  // no room
  EXPECT_EQ(offered("16,64,32,32", "16,64,3,3"), (Names{"patch_tf32_16x32", "patch_fp16_16x32"}));
  const auto older = device_limits("RTX-3090");
  ASSERT_TRUE(older.has_value());
  EXPECT_TRUE(
      PatchConvolution(patch_program("16,64,64,64", "64,64,3,3", kOnwards)).offered(MathMode::kTf32, *older).empty());
}

// Their patches leave a multiprocessor room for fewer blocks, and a device of little shared memory for none.
TEST(PatchSettings, OfLargeWindowsHaveTheMultiprocessorToThemselves) {
  const PatchConvolution large(patch_program("16,64,16,32,32", "64,128,5,5,5",
                                             "conv_transpose3d(x, w, none; stride=[1,1,1], padding=[0,0,0], "
                                             "output_padding=[0,0,0], dilation=[1,1,1], groups=1)"));
  const Names names = large.offered(MathMode::kKernelBench);
  EXPECT_EQ(with("fp16_64x", names), (Names{"patch_fp16_64x64", "patch_fp16_64x32"}));
  EXPECT_EQ(large.work({"patch_fp16_64x64"}).blocks_per_multiprocessor, 1);
  EXPECT_EQ(large.work({"patch_fp16_64x32"}).blocks_per_multiprocessor, 2);
  const auto older = device_limits("A100");
  ASSERT_TRUE(older.has_value());
  EXPECT_EQ(with("fp16_64x", large.offered(MathMode::kKernelBench, *older)), (Names{"patch_fp16_64x32"}));
}

// At reduced sizes the program's own setting stays.
TEST(PatchSettings, OfMoreChannelsComputeFewerToo) {
  EXPECT_TRUE(PatchConvolution(patch_program("1,2,9,9", "2,5,3,3", transposed("2,2"))).allows({"patch_tf32_32x32"}));
  EXPECT_FALSE(PatchConvolution(patch_program("1,2,9,9", "2,5,3,3", transposed("3,3"))).allows({"patch_tf32_32x32"}));
}

// Wide blocks are worth a row that fills them.
TEST(PatchSettings, LieBesideEachOtherAlongLongRows) {
  const auto wide = [](const char* images) {
    const Names names = PatchConvolution(patch_program(images, "64,64,3,3", kOnwards)).offered(MathMode::kTf32);
    return with("64x64_", names);
  };
  EXPECT_EQ(wide("16,64,256,256"), (Names{"patch_fp16_64x64_2", "patch_fp16_64x64_4"}));
  EXPECT_EQ(wide("16,64,128,128"), (Names{"patch_fp16_64x64_2"}));
  EXPECT_TRUE(wide("16,64,80,80").empty());
}

TEST(PatchSettings, FoldTheTapsOfFewChannels) {
  const auto fold = [](const char* images, const char* weight, const std::string& call = kOnwards) {
    return PatchConvolution(patch_program(images, weight, call)).fold({"patch_fp16_32x32"});
  };
  EXPECT_EQ(fold("16,1,64,64", "64,1,3,3"), "8");
  EXPECT_EQ(fold("16,3,64,64", "64,3,3,3"), "4");
  EXPECT_EQ(fold("16,8,64,64", "64,8,3,3"), "2");
  EXPECT_EQ(fold("16,9,64,64", "64,9,3,3"), "1");
  EXPECT_EQ(fold("16,3,64,64", "3,64,3,3", transposed("2,2")), "1");
}

// The weights, sixteen output channels by eight input channels a tap, and both parts of each where they are split.
TEST(PatchSettings, ArrangeTheWeightsInTheScratchMemory) {
  const PatchConvolution plain(patch_program("16,20,64,64", "40,20,3,3", kOnwards));
  EXPECT_EQ(plain.shape({"patch_tf32_32x64"}).scratch_bytes, int64_t{4} * 3 * 9 * 512);
  const PatchConvolution grouped(patch_program("16,32,128,256", "32,16,3,3", transposed("2,2", "4")));
  EXPECT_EQ(grouped.shape({"patch_tf32x3_16x32"}).scratch_bytes, int64_t{4} * 1 * 1 * 9 * 1024);
  // Two slices of sixteen input channels; a float of each output channel, 16 bytes an image, and the input's words, its
  // rows in fours.
  const PatchConvolution packed(patch_program("16,20,64,63", "40,20,3,3", kOnwards));
  EXPECT_EQ(packed.shape({"patch_fp16_32x64"}).scratch_bytes,
            int64_t{4} * 2 * 9 * 512 + 64 * 4 + 16 * 16 + int64_t{16} * 10 * 64 * 64 * 4);
}

// Measured on an H200: 3,348 us of which 620 go to 537 million outputs; 1,722 and 620. As fp16 the first takes 2,730,
// of which 750 go to packing.
TEST(PatchSettings, AreEstimatedAsMeasured) {
  const PatchConvolution images(patch_program("128,64,256,256", "64,64,3,3", transposed("1,1")));
  EXPECT_NEAR(images.arithmetic_us("patch_tf32_64x64"), 2730, 200);
  EXPECT_NEAR(images.arithmetic_us("patch_fp16_64x64"), 1360, 100);
  EXPECT_NEAR(images.work({"patch_fp16_64x64"}).serial_bytes - images.work({"patch_tf32_64x64"}).serial_bytes,
              6.0 * 128 * 64 * 256 * 256, 1);
  const PatchConvolution phases(patch_program("128,64,128,128", "64,64,3,3", transposed("2,2")));
  EXPECT_NEAR(phases.arithmetic_us("patch_tf32_32x32"), 1100, 100);
}

}  // namespace
}  // namespace stitch::kernels
