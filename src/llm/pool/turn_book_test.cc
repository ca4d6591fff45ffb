// SPDX-License-Identifier: Apache-2.0
#include "llm/pool/turn_book.h"

#include <gtest/gtest.h>

#include <random>

namespace stitch::llm {
namespace {

constexpr int64_t kNow = 1'764'000'000'000;

ProcessIdentity process(int number) { return {.pid = number, .start_ticks = 7, .boot = "b"}; }

TEST(TurnBook, ReadsBackTheSameAndLeavesOutWhatItCannotRead) {
  TurnBook book;
  book.closed_until_ms = kNow + 5;
  serve(book, add_ticket(book, process(1)), 100, kNow);
  add_ticket(book, process(2));
  const std::string text = to_text(book);
  EXPECT_EQ(to_text(turn_book_from_text(text)), text);
  EXPECT_EQ(to_text(turn_book_from_text("waits x\nsent 1\n\nwaits 3 -1 7 b\n" + text + "closed soon\nserved")), [&] {
    TurnBook open = book;
    open.closed_until_ms = 0;
    return to_text(open);
  }());
  EXPECT_EQ(to_text(turn_book_from_text("")), to_text(TurnBook{}));
}

TEST(TurnBook, AsManyAreServedAsMayBeAndInOrder) {
  const PoolLimits limits{.concurrency = 2};
  TurnBook book;
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(add_ticket(book, process(i)), i);
  }
  EXPECT_EQ(wait_of(book, 2, limits, 0, kNow), std::nullopt) << "the first comes first";
  ASSERT_EQ(wait_of(book, 1, limits, 0, kNow), 0);
  serve(book, 1, 0, kNow);
  ASSERT_EQ(wait_of(book, 2, limits, 0, kNow), 0);
  serve(book, 2, 0, kNow);
  EXPECT_EQ(wait_of(book, 3, limits, 0, kNow), std::nullopt);
  tidy(book, kNow, [](const ProcessIdentity& each) { return each.pid != 1; });
  EXPECT_EQ(wait_of(book, 3, limits, 0, kNow), 0) << "who is gone takes no place";
  EXPECT_EQ(wait_of(book, 4, limits, 0, kNow), std::nullopt);
}

TEST(TurnBook, RatesHoldForTheLastMinute) {
  const PoolLimits limits{.requests_per_minute = 2, .tokens_per_minute = 100};
  TurnBook book;
  for (const int64_t at_ms : {kNow - 50'000, kNow - 20'000}) {
    const int64_t number = add_ticket(book, process(1));
    serve(book, number, 30, at_ms);
    remove_ticket(book, number);
  }
  const int64_t number = add_ticket(book, process(1));
  EXPECT_EQ(number, 3);
  EXPECT_EQ(wait_of(book, number, limits, 10, kNow), 10'000);
  EXPECT_EQ(wait_of(book, number, {.tokens_per_minute = 100}, 40, kNow), 0);
  EXPECT_EQ(wait_of(book, number, {.tokens_per_minute = 100}, 41, kNow), 10'000);
  EXPECT_EQ(wait_of(book, number, {.tokens_per_minute = 100}, 1'000, kNow), 40'000) << "alone in its minute";
  book.closed_until_ms = kNow + 15'000;
  EXPECT_EQ(wait_of(book, number, limits, 10, kNow), 15'000);
  tidy(book, kNow + 15'000, [](const ProcessIdentity&) { return true; });
  EXPECT_EQ(book.sent.size(), 1U);
  EXPECT_EQ(wait_of(book, number, limits, 10, kNow + 15'000), 0);
  tidy(book, kNow - kMinuteMs, [](const ProcessIdentity&) { return true; });
  EXPECT_TRUE(book.sent.empty()) << "the clock was set back";
}

// Whoever comes and goes, limits hold, all are served in order, and nobody waits for nothing.
TEST(TurnBook, NoneStarves) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 chance(seed);
    const PoolLimits limits{.concurrency = 1 + static_cast<int64_t>(chance() % 3),
                            .requests_per_minute = 5 + static_cast<int64_t>(chance() % 20)};
    TurnBook book;
    int64_t now_ms = kNow;
    int64_t last_served = 0;
    for (int step = 0; step < 400; ++step, now_ms += 500) {
      tidy(book, now_ms, [](const ProcessIdentity&) { return true; });
      if (chance() % 3 == 0 && book.tickets.size() < 8) {
        add_ticket(book, process(1));
      }
      int64_t served = 0;
      bool waits_for_clock = false;
      for (const Ticket& ticket : std::vector<Ticket>(book.tickets)) {
        const auto wait_ms = ticket.is_served ? std::nullopt : wait_of(book, ticket.number, limits, 0, now_ms);
        if (wait_ms == 0) {
          ASSERT_GT(ticket.number, last_served) << "seed " << seed;
          last_served = ticket.number;
          serve(book, ticket.number, 0, now_ms);
        }
        waits_for_clock = waits_for_clock || (wait_ms.has_value() && *wait_ms > 0);
        served += find_ticket(book, ticket.number)->is_served ? 1 : 0;
      }
      ASSERT_LE(served, limits.concurrency) << "seed " << seed;
      ASSERT_LE(static_cast<int64_t>(book.sent.size()), limits.requests_per_minute) << "seed " << seed;
      const auto all = static_cast<int64_t>(book.tickets.size());
      ASSERT_TRUE(served == all || served == limits.concurrency || waits_for_clock) << "seed " << seed;
      if (served > 0 && chance() % 2 == 0) {
        remove_ticket(book, book.tickets.front().number);
      }
    }
  }
}

}  // namespace
}  // namespace stitch::llm
