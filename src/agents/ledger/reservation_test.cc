// SPDX-License-Identifier: Apache-2.0
#include "agents/ledger/reservation.h"

#include <gtest/gtest.h>

#include <random>

namespace stitch::agents {
namespace {

void add(Spending& sum, const Spending& one) {
  sum.prompt_tokens += one.prompt_tokens;
  sum.answer_tokens += one.answer_tokens;
  sum.microdollars += one.microdollars;
}

TEST(Reservation, SaysWhichLimitIsInTheWay) {
  const Limits limits{.tokens = 1000, .microdollars = 5000, .seconds = 60};
  const auto asked = [&](const Spending& spent, const Spending& wanted) {
    return limit_in_the_way(limits, spent, {.prompt_tokens = 100, .microdollars = 500}, wanted);
  };
  EXPECT_EQ(asked({.prompt_tokens = 400}, {.prompt_tokens = 300, .answer_tokens = 200}), "");
  EXPECT_EQ(asked({.prompt_tokens = 400}, {.prompt_tokens = 300, .answer_tokens = 201}),
            "the request may bring the run to 1001 tokens, over 1000");
  EXPECT_EQ(asked({.microdollars = 4000}, {.microdollars = 501}),
            "the request may bring the run to 0.0050 $, over 0.0050 $");
  EXPECT_EQ(asked({.seconds = 60}, {}), "the run has taken 60 s, of 60 s");
  EXPECT_EQ(limit_in_the_way(limits, {.seconds = 40}, {.seconds = 21}, {}), "the run has taken 61 s, of 60 s");
  EXPECT_EQ(limit_in_the_way({}, {.prompt_tokens = 1 << 30}, {}, {.microdollars = 1 << 30}), "");
}

// Requests under way at once, that end in any order and use up to what was reserved for them.
TEST(Reservation, NoLimitIsEverPassed) {
  const llm::Price price{.model = "m", .prompt = 1.25, .cached = 0.125, .answer = 10};
  for (uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 chance(seed);
    const Limits limits{.tokens = 5'000 + static_cast<int64_t>(chance() % 50'000),
                        .microdollars = 1'000 + static_cast<int64_t>(chance() % 200'000)};
    Spending spent;
    std::vector<std::pair<llm::Usage, Spending>> under_way;
    int sent = 0;
    for (int i = 0; i < 500; ++i) {
      Spending open;
      for (const auto& [usage, reserved] : under_way) {
        add(open, reserved);
      }
      if (chance() % 2 == 0) {
        const llm::Usage worst = llm::worst_case(chance() % 4000, 2, 1 + chance() % 1000);
        const Spending wanted = worst_spending(Role::kCoder, worst, &price);
        if (limit_in_the_way(limits, spent, open, wanted).empty()) {
          under_way.emplace_back(worst, wanted);
          ++sent;
        }
      } else if (!under_way.empty()) {
        const llm::Usage worst = under_way.back().first;
        under_way.pop_back();
        const llm::Usage used{
            .prompt_tokens = static_cast<int64_t>(chance() % static_cast<uint64_t>(worst.prompt_tokens + 1)),
            .answer_tokens = static_cast<int64_t>(chance() % static_cast<uint64_t>(worst.answer_tokens + 1))};
        add(spent, spending_of(Role::kCoder, used, &price, 1));
      }
      ASSERT_LE(spent.prompt_tokens + spent.answer_tokens, *limits.tokens) << "seed " << seed;
      ASSERT_LE(spent.microdollars, *limits.microdollars) << "seed " << seed;
    }
    EXPECT_GT(sent, 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stitch::agents
