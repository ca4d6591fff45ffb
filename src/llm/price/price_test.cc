// SPDX-License-Identifier: Apache-2.0
#include "llm/price/price.h"

#include <gtest/gtest.h>

namespace stitch::llm {
namespace {

constexpr double kPrompt = 1.25;

Price price() { return {.model = "m", .prompt = kPrompt, .cached = 0.125, .answer = 10}; }

TEST(Price, OfAMillionTokensIsThatOfTheFile) {
  EXPECT_EQ(cost_microdollars(price(), {.prompt_tokens = 1'000'000}), 1'250'000);
  EXPECT_EQ(cost_microdollars(price(), {.prompt_tokens = 1'000'000, .cached_tokens = 1'000'000}), 125'000);
  EXPECT_EQ(cost_microdollars(price(), {.answer_tokens = 1'000'000, .reasoning_tokens = 900'000}), 10'000'000);
}

TEST(Price, IsRoundedUpAndNeverNegative) {
  EXPECT_EQ(cost_microdollars(price(), {.prompt_tokens = 1}), 2);
  EXPECT_EQ(cost_microdollars(price(), {.prompt_tokens = 8}), 10);
  EXPECT_EQ(cost_microdollars(price(), {.prompt_tokens = 8, .cached_tokens = 80}), 1);
  EXPECT_EQ(cost_microdollars({}, {.prompt_tokens = 8, .answer_tokens = 8}), 0);
}

TEST(Price, OfTheWorstCaseIsAtLeastThatOfAnyUsage) {
  const Usage worst = worst_case(4000, 3, 100);
  EXPECT_GE(worst.prompt_tokens, 4000);
  EXPECT_EQ(worst.cached_tokens, 0);
  const Usage seen{.prompt_tokens = 1100, .cached_tokens = 1000, .answer_tokens = 100, .reasoning_tokens = 50};
  EXPECT_GE(cost_microdollars(price(), worst), cost_microdollars(price(), seen));
}

TEST(Usage, OfMoreThanWasSentIsImpossible) {
  EXPECT_TRUE(is_possible({.prompt_tokens = 5'000, .answer_tokens = 100'000}, 4'000, 100));
  EXPECT_FALSE(is_possible({.prompt_tokens = 70'000, .answer_tokens = 1}, 4'000, 100));
  EXPECT_FALSE(is_possible({.prompt_tokens = 1, .answer_tokens = 2'000'000}, 4'000, 100));
}

}  // namespace
}  // namespace stitch::llm
