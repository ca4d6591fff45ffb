// SPDX-License-Identifier: Apache-2.0
#include "synth/recipes/recipe.h"

#include <gtest/gtest.h>

#include <map>

#include "synth/filters/eager_time.h"

namespace stitch::synth {
namespace {

TEST(Recipe, TheSameSeedAndNumberGiveTheSameText) {
  for (uint64_t number = 0; number < 200; ++number) {
    const std::optional<Draft> one = make_draft(5, number, {});
    const std::optional<Draft> two = make_draft(5, number, {});
    ASSERT_EQ(one.has_value(), two.has_value());
    if (one.has_value()) {
      EXPECT_EQ(write_source(*one), write_source(*two));
    }
  }
}

TEST(Recipe, DrawsChainsBlocksAndExpressionsOfManyFamilies) {
  std::map<std::string, int> sources;
  std::set<std::string> families;
  std::map<size_t, int> lengths;
  for (uint64_t number = 0; number < 2000; ++number) {
    const std::optional<Draft> draft = make_draft(1, number, {});
    if (draft.has_value()) {
      families.insert(family_of(*draft));
      lengths[draft->operators.size()] += 1;
      for (const std::string& seed : draft->seeds) {
        sources[seed.substr(0, seed.find(':'))] += 1;
      }
    }
  }
  EXPECT_GT(sources["torch"], 1000);
  EXPECT_GT(sources["block"], 500);
  EXPECT_GT(sources["ir"], 500);
  EXPECT_GT(families.size(), 300u);
  EXPECT_LT(lengths[2], 600) << "no set of chains of two";
}

TEST(Recipe, AFamilyStaysInItsSplitAndMostAreForTraining) {
  std::map<std::string, int> splits;
  for (int number = 0; number < 1000; ++number) {
    splits[split_of("family" + std::to_string(number))] += 1;
  }
  EXPECT_EQ(splits.size(), 3u);
  EXPECT_NEAR(splits["train"], 800, 60);
  EXPECT_EQ(split_of("contraction+norm"), split_of("contraction+norm"));
}

TEST(EagerTime, IsLaunchesAndTheDearerOfBytesAndFlops) {
  const kernels::DeviceLimits device = *kernels::device_limits("H200");
  TaskFacts facts;
  facts.work = {{67e9, 4.8e6, false}, {1, 9.6e9, false}};  // 1 ms of arithmetic; 2 ms of memory
  const EagerTime time = eager_time(facts, device);
  EXPECT_NEAR(time.work_ms, 3, 1e-9);
  EXPECT_NEAR(time.ms, 3.004, 1e-9);
  EXPECT_TRUE(is_gpu_bound(time));
  EXPECT_FALSE(is_gpu_bound({1.0, 0.5, 1000}));
}

}  // namespace
}  // namespace stitch::synth
