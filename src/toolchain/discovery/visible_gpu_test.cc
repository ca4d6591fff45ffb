// SPDX-License-Identifier: Apache-2.0
#include "toolchain/discovery/visible_gpu.h"

#include <gtest/gtest.h>

namespace stitch::toolchain {
namespace {

constexpr const char* kListed = "0, GPU-aa01\n1, GPU-ab02\n10, GPU-cc03\n";

TEST(VisibleGpu, IsTheFirstOfAllWhereNothingIsSaid) { EXPECT_EQ(visible_gpu(kListed, std::nullopt), "GPU-aa01"); }

TEST(VisibleGpu, IsTheFirstThatIsNamed) {
  EXPECT_EQ(visible_gpu(kListed, "1,0"), "GPU-ab02");
  EXPECT_EQ(visible_gpu(kListed, " 10 , 1"), "GPU-cc03");
  EXPECT_EQ(visible_gpu(kListed, "GPU-cc03"), "GPU-cc03");
  EXPECT_EQ(visible_gpu(kListed, "GPU-ab,GPU-aa"), "GPU-ab02");
}

TEST(VisibleGpu, ASliceIsPartOfTheFirst) {
  EXPECT_EQ(visible_gpu(kListed, "MIG-1234"), "GPU-aa01");
  EXPECT_TRUE(is_slice("MIG-1234"));
  EXPECT_FALSE(is_slice("GPU-aa01"));
}

TEST(VisibleGpu, IsNoneWhereNoneIsLeft) {
  for (const char* visible : {"", "-1", "2", "GPU-ff", "NoDevFiles"}) {
    EXPECT_EQ(visible_gpu(kListed, visible), "") << visible;
  }
  EXPECT_EQ(visible_gpu("", std::nullopt), "");
  EXPECT_EQ(visible_gpu("No devices were found\n", "0"), "");
}

}  // namespace
}  // namespace stitch::toolchain
