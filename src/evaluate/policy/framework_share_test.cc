// SPDX-License-Identifier: Apache-2.0
#include "evaluate/policy/framework_share.h"

#include <gtest/gtest.h>

namespace stitch::evaluate {
namespace {

// The MLP of a transformer, 4096 tokens of 1024 features in fp32: two products of 513 us at 67 TFLOP/s; by their bytes
// GELU takes 28 us and LayerNorm 7 us at 4.8 TB/s.
constexpr int64_t kMega = 1'000'000;
const ReferenceWork kLinear = {"linear", 34'360 * kMega, 105 * kMega, true, false};
const ReferenceWork kGelu = {"gelu", 17 * kMega, 134 * kMega, false, false};
const ReferenceWork kLayerNorm = {"layer_norm", 4 * kMega, 34 * kMega, false, false};
const std::vector<ReferenceWork> kMlp = {kLinear, kGelu, kLinear, kLayerNorm};

TEST(FrameworkShare, TimeIsWhicheverTakesLonger) {
  EXPECT_NEAR(roofline_us(kLinear, MathMode::kFp32), 512.8, 0.1);     // 34.36e9 / 67e12
  EXPECT_NEAR(roofline_us(kLinear, MathMode::kTf32), 69.46, 0.01);    // / 494.7e12
  EXPECT_NEAR(roofline_us(kLinear, MathMode::kReduced), 34.73, 0.01);
  EXPECT_NEAR(roofline_us(kGelu, MathMode::kFp32), 27.92, 0.01);      // 134e6 / 4.8e12
  EXPECT_NEAR(roofline_us({"linear", 34'360 * kMega, 52 * kMega, true, true}, MathMode::kFp32), 34.73, 0.01);
  EXPECT_EQ(roofline_us({"relu", 0, 0, false, false}, MathMode::kFp32), 0);
}

// By FLOPs GELU would be 0.02 %.
TEST(FrameworkShare, AMemoryBoundOperatorWeighsItsTime) {
  const FrameworkShare share = framework_share(kMlp, {"aten::gelu"}, {"libmine.so"}, MathMode::kTf32);
  EXPECT_EQ(share.hack_class, HackClass::kPartial);
  EXPECT_NEAR(share.share, 27.92 / (27.92 + 7.08 + 2 * 69.46), 0.001);
}

TEST(FrameworkShare, StepsWorthUnderFivePercentAreAPartialHack) {
  const FrameworkShare share = framework_share(kMlp, {"aten::linear", "aten::gelu"}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kPartial);
  EXPECT_GT(share.share, 0.95);
  EXPECT_NE(share.message.find("only steps worth under 5 % were touched"), std::string::npos) << share.message;
  const FrameworkShare half = framework_share(kMlp, {"aten::gelu"}, {"libmine.so"});
  EXPECT_EQ(half.message.find("only steps"), std::string::npos) << half.message;
}

TEST(FrameworkShare, WithoutOperatorsOfTheFrameworkIsClean) {
  const FrameworkShare share = framework_share(kMlp, {}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kClean);
  EXPECT_EQ(share.share, 0);
}

TEST(FrameworkShare, KnowsAnOperatorByItsOtherNames) {
  const FrameworkShare share = framework_share(kMlp, {"aten::addmm"}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kPartial);
  EXPECT_NEAR(share.share, 1025.7 / (1025.7 + 27.92 + 7.08), 0.001);
  EXPECT_EQ(share.left, std::vector<std::string>{"linear"});
}

TEST(FrameworkShare, AllOfTheWorkIsATotalHack) {
  const FrameworkShare share = framework_share(kMlp, {"aten::mm", "aten::native_layer_norm", "aten::gelu_"}, {"x.so"});
  EXPECT_EQ(share.hack_class, HackClass::kTotal);
  EXPECT_DOUBLE_EQ(share.share, 1.0);
}

TEST(FrameworkShare, NoCodeOfItsOwnIsATotalHackHoweverLittleWasSeen) {
  EXPECT_EQ(framework_share(kMlp, {"aten::gelu"}, {}).hack_class, HackClass::kTotal);
  EXPECT_EQ(framework_share(kMlp, {}, {}).hack_class, HackClass::kTotal);
}

TEST(FrameworkShare, AProgramThatOnlyMovesBytesNeedsNoCode) {
  EXPECT_EQ(framework_share({}, {}, {}).hack_class, HackClass::kClean);
}

TEST(FrameworkShare, AnOperatorOfNoWeightIsStillAPart) {
  const FrameworkShare share = framework_share(kMlp, {"aten::sin"}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kPartial);
  EXPECT_EQ(share.share, 0);
}

}  // namespace
}  // namespace stitch::evaluate
