// SPDX-License-Identifier: Apache-2.0
#include "base/process/patience.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>

#include "base/process/child.h"

namespace stitch {
namespace {

// Children inherit the one processor of the thread that starts them, so that how many share it does not depend on the
// machine.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int number = 0; number < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++number) {
      if (CPU_ISSET(number, &before_)) {
        CPU_SET(number, &one);
      }
    }
    ::sched_setaffinity(0, sizeof(one), &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof(before_), &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;

 private:
  cpu_set_t before_{};
};

Child start_shell(const std::string& script) {
  return Child::start({.arguments = {"sh", "-c", script}}).value();
}

constexpr const char* kBurn = "while :; do :; done";

// Milliseconds by the clock until the patience with `child` is over.
int64_t patience_ms(const Child& child, int64_t limit_ms) {
  const auto start = Patience::Clock::now();
  Patience patience(child.pid(), limit_ms);
  while (!patience.is_over()) {
    std::this_thread::sleep_until(patience.next_look());
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(Patience::Clock::now() - start).count();
}

TEST(Patience, OneThatSleepsIsMeasuredByTheClockHoweverBusyTheMachine) {
  const OneProcessor one;
  const Child sleeper = start_shell("exec sleep 60");
  const Child busy = start_shell(kBurn);
  const int64_t waited_ms = patience_ms(sleeper, 400);
  EXPECT_GE(waited_ms, 400);
  EXPECT_LT(waited_ms, 800);
}

TEST(Patience, OneThatComputesIsNotChargedForWhatOthersTook) {
  const OneProcessor one;
  const Child burner = start_shell(kBurn);
  const Child first = start_shell(kBurn);
  const Child second = start_shell(kBurn);
  const Child third = start_shell(kBurn);
  // It has a quarter of the processor. Of a machine with many, what others have there is a small share of all.
  const auto processors = static_cast<int64_t>(std::thread::hardware_concurrency());
  const int64_t waited_ms = patience_ms(burner, 400);
  EXPECT_GE(waited_ms, processors <= 2 ? 500 : 400);
  EXPECT_LT(waited_ms, 20 * 400 + 1000);
}

TEST(Patience, ManyThreadsOfOneTreeDoNotBuyItTime) {
  const Child tree = start_shell("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do (while :; do :; done) & done; wait");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto start = Patience::Clock::now();  // this thread may be put aside behind it, as the tree has all processors
  Patience patience(tree.pid(), 300);
  while (!patience.is_over()) {
    std::this_thread::sleep_until(patience.next_look());
  }
  const auto passed = Patience::Clock::now() - start;
  EXPECT_GE(passed, std::chrono::milliseconds(300));
  EXPECT_LT(passed, std::chrono::milliseconds(6000));
}

TEST(Patience, LongLimitsLeaveOutWhatOthersTookAfterTheFirstMilliseconds) {
  const OneProcessor one;
  const Child burner = start_shell(kBurn);
  const Child other = start_shell(kBurn);
  Patience patience(burner.pid(), 60000);
  EXPECT_LT(patience.next_look(), patience.end_by_clock());
  std::this_thread::sleep_until(patience.next_look());
  EXPECT_FALSE(patience.is_over());
  EXPECT_EQ(patience.next_look(), patience.end_by_clock());
  const auto start = Patience::Clock::now();
  const auto counted = patience.counted();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LE(patience.counted() - counted, Patience::Clock::now() - start);
  if (std::thread::hardware_concurrency() <= 2) {
    EXPECT_LT(patience.counted() - counted, std::chrono::milliseconds(350));
  }
}

TEST(Patience, WhoDoesNotWaitAtAllIsOverAtOnce) {
  const Child sleeper = start_shell("exec sleep 60");
  Patience patience(sleeper.pid(), 0);
  EXPECT_TRUE(patience.is_over());
}

TEST(Patience, ANegativeLimitNeverEnds) {
  const Child sleeper = start_shell("exec sleep 60");
  Patience patience(sleeper.pid(), -1);
  EXPECT_FALSE(patience.is_over());
}

}  // namespace
}  // namespace stitch
