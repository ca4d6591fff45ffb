// SPDX-License-Identifier: Apache-2.0
#include "evaluate/policy/framework_share.h"

#include <gtest/gtest.h>

namespace stitch::evaluate {
namespace {

const std::vector<ReferenceWork> kMlp = {{"linear", 900}, {"gelu", 50}, {"layer_norm", 50}};

TEST(FrameworkShare, WithoutOperatorsOfTheFrameworkIsClean) {
  const FrameworkShare share = framework_share(kMlp, {}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kClean);
  EXPECT_EQ(share.share, 0);
}

TEST(FrameworkShare, KnowsAnOperatorByItsOtherNames) {
  const FrameworkShare share = framework_share(kMlp, {"aten::addmm"}, {"libmine.so"});
  EXPECT_EQ(share.hack_class, HackClass::kPartial);
  EXPECT_DOUBLE_EQ(share.share, 0.9);
  EXPECT_EQ(share.left, std::vector<std::string>{"linear"});
}

TEST(FrameworkShare, NearlyAllOfTheWorkIsATotalHack) {
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
