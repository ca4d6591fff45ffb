// SPDX-License-Identifier: Apache-2.0
#include "bench/ablate/ablation.h"

#include <gtest/gtest.h>

namespace stitch::bench {
namespace {

constexpr const char* kTwoArms = R"(
suite = "problems"
only = ["a", "b*"]
seeds = [1, 2]
[common]
device = "emulated"
[[arm]]
name = "loop"
system = "stitch"
[[arm]]
name = "blind"
system = "stitch"
without = ["profile", "retrieval"]
no-admit = true
)";

TEST(Ablation, ArmsAreCommandLines) {
  const Ablation ablation = *read_ablation(kTwoArms, "two.toml");
  EXPECT_EQ(ablation.suite_arguments, (std::vector<std::string>{"--only", "a,b*"}));
  ASSERT_EQ(ablation.arms.size(), 2U);
  EXPECT_EQ(ablation.arms[0].arguments, (std::vector<std::string>{"--device", "emulated", "--system", "stitch"}));
  EXPECT_EQ(ablation.arms[1].arguments.back(), "profile,retrieval");
  EXPECT_EQ(run_name(ablation.arms[0], ablation.seeds[1]), "loop-2");
}

TEST(Ablation, WhatIsWrongIsNamed) {
  EXPECT_FALSE(read_ablation("suite = \"problems\"\n[[arm]]\nname = \"one\"\n", "x.toml").has_value());
  const auto twice = read_ablation("suite = \"p\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"a\"\n", "x.toml");
  ASSERT_FALSE(twice.has_value());
  EXPECT_NE(twice.error().message.find("two arms are called a"), std::string::npos) << twice.error().message;
  EXPECT_FALSE(read_ablation("suite = \"p\"\n[[arm]]\nname = \"../a\"\n", "x.toml").has_value());
  EXPECT_FALSE(read_ablation("suite = ", "x.toml").has_value());
}

}  // namespace
}  // namespace stitch::bench
