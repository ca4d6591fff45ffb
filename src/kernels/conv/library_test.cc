// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/library.h"

#include <gtest/gtest.h>

#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

// Sixteen channels of a wide plane, or of a volume.
std::string library_program(const std::string& node, const std::string& after = "") {
  return "graph g mode=eval\nx: f32[4,16,64,64] = input \"x\"\nv: f32[4,16,8,16,16] = input \"v\"\n"
         "w: f32[16,16,3,3] = parameter \"w\"\nu: f32[16,16,3,3,3] = parameter \"u\"\ny = " +
         node + "\n" + after + "return output \"0\" = " + (after.empty() ? "y" : "r") + "\n";
}

constexpr const char* kPlane = "conv2d(x, w, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=1)";
constexpr const char* kVolumeBack =
    "conv_transpose3d(v, u, none; stride=[2,2,2], padding=[1,1,1], output_padding=[1,1,1], dilation=[1,1,1], groups=1)";

class LibraryOfConvolution : public AskedKernel {
 public:
  explicit LibraryOfConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<std::string> offered(MathMode math) const { return variants_of(libraries(math)); }
};

constexpr int64_t kFixedScratch = (int64_t{64} << 20) + 768;
constexpr int64_t kPlaneBytes = int64_t{4} * 4 * 16 * 64 * 64;
constexpr int64_t kPlaneWeightBytes = int64_t{4} * 16 * 16 * 9;

TEST(ConvolutionLibrary, OffersLayoutsAndAdviceByTheModesRounding) {
  const LibraryOfConvolution plane(library_program(kPlane));
  const std::vector<std::string> exact = {"cudnn_fp32", "cudnn_fp32_2"};
  const std::vector<std::string> rounded = {"cudnn_tf32", "cudnn_tf32_nchw", "cudnn_tf32_2", "cudnn_tf32_nchw_2"};
  EXPECT_EQ(plane.offered(MathMode::kFp32), exact);
  EXPECT_EQ(plane.offered(MathMode::kTf32), rounded);
  EXPECT_EQ(plane.offered(MathMode::kKernelBench), rounded);
  const LibraryOfConvolution grouped(library_program(
      "conv_transpose2d(x, w, none; stride=[1,1], padding=[1,1], output_padding=[0,0], dilation=[1,1], groups=2)"));
  EXPECT_EQ(grouped.offered(MathMode::kKernelBench), exact);
  EXPECT_EQ(grouped.offered(MathMode::kReduced), rounded);
  EXPECT_TRUE(grouped.allows({"cudnn_tf32_nchw_2"}));
  EXPECT_FALSE(grouped.allows({"cudnn_tf32_3"}));
}

// As tensors lie cuDNN converts them in its workspace; turned, they need memory of their own besides, and so do the
// sums.
TEST(ConvolutionLibrary, ScratchHoldsWhatIsConvertedAndSumsWithoutAPlace) {
  const LibraryOfConvolution plane(library_program(kPlane));
  const int64_t converted = 2 * kPlaneBytes + kPlaneWeightBytes;
  EXPECT_EQ(plane.shape({"cudnn_tf32"}).scratch_bytes, kFixedScratch + converted + kPlaneBytes + kPlaneWeightBytes);
  EXPECT_EQ(plane.shape({"cudnn_tf32_nchw"}).scratch_bytes, kFixedScratch + converted);
  const LibraryOfConvolution reordered(library_program(kPlane, "r = permute(y; dims=[0,1,3,2])\n"));
  EXPECT_EQ(reordered.shape({"cudnn_fp32"}).scratch_bytes, kFixedScratch + converted + kPlaneBytes);
  const LibraryOfConvolution followed(library_program(kPlane, "r = relu(y)\n"));
  EXPECT_EQ(followed.shape({"cudnn_fp32"}).scratch_bytes, kFixedScratch + converted);
}

// Where a new state is written the old one may lie, which the epilogue has yet to read.
TEST(ConvolutionLibrary, LeavesNoSumsInAState) {
  const LibraryOfConvolution counting(
      "graph g mode=eval\nx: f32[4,16,64,64] = input \"x\"\ns: f32[4,16,64,64] = state \"s\"\n"
      "w: f32[16,16,3,3] = parameter \"w\"\ny = " +
      std::string(kPlane) + "\nr = add(y, s)\nreturn state \"s\" = r\n");
  EXPECT_EQ(counting.shape({"cudnn_fp32"}).scratch_bytes, kFixedScratch + 3 * kPlaneBytes + kPlaneWeightBytes);
}

TEST(ConvolutionLibrary, CountsASecondPassWhereSomethingFollowsTheSums) {
  const LibraryOfConvolution bare(library_program(kPlane));
  const LibraryOfConvolution followed(library_program(kPlane, "r = relu(y)\n"));
  EXPECT_EQ(bare.work({"cudnn_fp32"}).launches, 1);
  EXPECT_EQ(followed.work({"cudnn_fp32"}).launches, 2);
  EXPECT_EQ(bare.work({"cudnn_tf32"}).launches, 3);
  EXPECT_EQ(bare.work({"cudnn_fp32"}).serial_bytes, 0);
  EXPECT_EQ(followed.work({"cudnn_fp32"}).serial_bytes, 2.0 * kPlaneBytes);
}

// Its depthwise kernels wait for memory longer than a copy does, and groups are multiplied in fp32 in every mode.
TEST(ConvolutionLibrary, CountsWhatGroupsCost) {
  const LibraryOfConvolution depthwise(
      "graph g mode=eval\nx: f32[4,16,64,64] = input \"x\"\nw: f32[16,1,3,3] = parameter \"w\"\n"
      "y = conv2d(x, w, none; stride=[1,1], padding=[1,1], dilation=[1,1], groups=16)\nreturn output \"0\" = y\n");
  EXPECT_EQ(depthwise.work({"cudnn_tf32"}).pipe, Pipe::kFp32);
  EXPECT_EQ(depthwise.work({"cudnn_fp32"}).bandwidth_share, 0.2);
  const LibraryOfConvolution whole(library_program(kPlane));
  EXPECT_EQ(whole.work({"cudnn_tf32"}).pipe, Pipe::kTf32);
  EXPECT_EQ(whole.work({"cudnn_fp32"}).bandwidth_share, 1.0);
  // One after the other, turned there and back.
  const LibraryOfConvolution grouped(
      "graph g mode=eval\nx: f32[4,16,64,64] = input \"x\"\nw: f32[16,8,1,1] = parameter \"w\"\n"
      "y = conv2d(x, w, none; stride=[1,1], padding=[0,0], dilation=[1,1], groups=2)\nreturn output \"0\" = y\n");
  EXPECT_EQ(grouped.work({"cudnn_fp32"}).bandwidth_share, 0.15);
  EXPECT_LT(grouped.work({"cudnn_fp32"}).peak_share, 0.5 * whole.work({"cudnn_fp32"}).peak_share);
}

// No tap between inputs is counted.
TEST(ConvolutionLibrary, CountsTheTapsOfEachInputOfATransposedConvolution) {
  const LibraryOfConvolution back(library_program(kVolumeBack));
  EXPECT_EQ(back.work({"cudnn_tf32"}).flops, 2.0 * (4 * 16 * 8 * 16 * 16) * (16 * 27));
}

}  // namespace
}  // namespace stitch::kernels
