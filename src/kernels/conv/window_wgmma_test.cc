// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/window_wgmma.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/code/step_code.h"
#include "kernels/conv/convolution.h"
#include "kernels/template/kernel_fixture.h"

namespace stitch::kernels {
namespace {

std::string window_program(const std::string& images, const std::string& weight, const std::string& stride = "1,1",
                           const std::string& padding = "1,1", const std::string& dilation = "1,1",
                           const std::string& groups = "1", const std::string& of = "parameter") {
  return "graph g mode=eval\nx: f32[" + images + "] = input \"x\"\nw: f32[" + weight + "] = " + of +
         " \"w\"\ny = conv2d(x, w, none; stride=[" + stride + "], padding=[" + padding + "], dilation=[" + dilation +
         "], groups=" + groups + ")\nreturn output \"0\" = y\n";
}

class WindowConvolution : public AskedKernel {
 public:
  explicit WindowConvolution(const std::string& text) : AskedKernel(text, make_convolution()) {}

  std::vector<Setting> offered(MathMode math = MathMode::kKernelBench) const {
    std::vector<Setting> settings = space(math, known_devices().front());
    std::erase_if(settings, [](const Setting& one) { return !one.variant.starts_with("window_wgmma"); });
    return settings;
  }
  bool offers_window(const std::string& variant, int64_t blocks) const {
    const std::vector<Setting> settings = offered();
    return std::find(settings.begin(), settings.end(), Setting{variant, blocks}) != settings.end();
  }
};

const std::string kDeep = window_program("10,256,14,14", "256,256,3,3");

TEST(WindowSettings, AreOfTwoAxesWithoutGroupsWhereAThreadsElementsAreFew) {
  EXPECT_FALSE(WindowConvolution(kDeep).offered().empty());
  EXPECT_FALSE(WindowConvolution(window_program("10,256,14,14", "64,256,3,3", "2,2")).offered().empty());
  EXPECT_TRUE(WindowConvolution(window_program("10,256,14,14", "64,256,3,3", "5,5")).offered().empty());
  EXPECT_FALSE(WindowConvolution(window_program("10,256,14,14", "64,256,3,3", "3,3", "4,4", "4,4")).offered().empty());
  EXPECT_FALSE(WindowConvolution(window_program("10,256,1,900", "64,256,1,3", "1,3", "0,0", "1,4")).offered().empty());
  EXPECT_TRUE(WindowConvolution(window_program("10,256,1,900", "64,256,1,3", "1,3", "0,0", "1,20")).offered().empty());
  EXPECT_TRUE(
      WindowConvolution(window_program("10,256,14,14", "64,128,3,3", "1,1", "1,1", "1,1", "2")).offered().empty());
  EXPECT_TRUE(WindowConvolution(window_program("10,3,32,32", "64,3,3,3")).offered().empty()) << "few inputs";
}

TEST(WindowSettings, LeaveOneTapInStepsOfOneToItsOwn) {
  EXPECT_TRUE(WindowConvolution(window_program("10,256,14,14", "64,256,1,1", "1,1", "0,0")).offered().empty());
  EXPECT_FALSE(WindowConvolution(window_program("10,256,14,14", "64,256,1,1", "2,2", "0,0")).offered().empty());
}

TEST(WindowSettings, RoundWhereTheBaselineDoesAndTakeGivenWeights) {
  const WindowConvolution deep(kDeep);
  EXPECT_TRUE(deep.offered(MathMode::kFp32).empty());
  EXPECT_FALSE(deep.offered(MathMode::kTf32).empty());
  const WindowConvolution computed(window_program("10,256,14,14", "256,256,3,3", "1,1", "1,1", "1,1", "1", "input"));
  EXPECT_TRUE(computed.offered().empty());
  EXPECT_FALSE(computed.allows({"window_wgmma_128x64", 1}));
}

// Seven rows of four quads are a tile of 32: two tiles an image, by four blocks of channels.
TEST(WindowSettings, AreSharedByClustersWhereTilesAreFew) {
  const WindowConvolution deep(kDeep);
  EXPECT_EQ(deep.work({"window_wgmma_128x64", 1}).blocks, 10 * 2 * 4);
  EXPECT_EQ(deep.work({"window_wgmma_128x64", 4}).blocks, 10 * 2 * 4 * 4);
  EXPECT_TRUE(deep.offers_window("window_wgmma_128x64", 4));
  EXPECT_FALSE(
      WindowConvolution(window_program("64,256,56,56", "256,256,3,3")).offers_window("window_wgmma_128x64", 2));
  EXPECT_FALSE(deep.allows({"window_wgmma_128x32", 8})) << "a block adds up eight channels and more";
  EXPECT_FALSE(deep.allows({"window_wgmma_128x64", 3}));
}

// At reduced sizes the program's own setting stays.
TEST(WindowSettings, ComputeSmallerImagesToo) {
  EXPECT_TRUE(WindowConvolution(window_program("1,2,3,3", "5,2,3,3")).allows({"window_wgmma_256x128", 8}));
  EXPECT_TRUE(WindowConvolution(window_program("99,16,1,1", "16,16,3,3")).allows({"window_wgmma_256x64", 1}));
}

TEST(WindowSettings, KeepTheWeightsAsTheyAreRead) {
  const WindowConvolution ragged(window_program("4,65,14,14", "100,65,3,3"));
  const StepShape shape = ragged.shape({"window_wgmma_128x64", 2});
  EXPECT_EQ(shape.kept_bytes, int64_t{2} * 64 * 3 * 9 * 128);
  EXPECT_EQ(shape.scratch_bytes, 0);
  std::string launch;
  for (const std::string& line :
       to_text(ragged.kernel().draft(ragged.group(), {"window_wgmma_128x64", 2}).value()).launch) {
    launch += line;
  }
  EXPECT_NE(launch.find("launch_arrange_windows<stitch::PointwiseTile<1, 64>, Window>(shape, weight, args->kept"),
            std::string::npos);
  EXPECT_NE(launch.find("launch_conv_kept_window_wgmma<stitch::PointwiseTile<1, 64>, Window, 2>("), std::string::npos);
}

}  // namespace
}  // namespace stitch::kernels
