// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits/limits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "sandbox/limits/memory_watch.h"

namespace stitch::sandbox {
namespace {

TEST(LimitsTest, AConfinedChildSeesItsLimitsAndNoSecret) {
  ::setenv("STITCH_TEST_API_KEY", "secret", 1);
  const ChildOptions options{.arguments = {"sh", "-c", "ulimit -v; echo key=$STITCH_TEST_API_KEY"}};
  const auto output = run_child(confine(options, worker_limits(uint64_t{1} << 30)), 20000);
  ASSERT_TRUE(output.has_value());
  EXPECT_EQ(output->standard_output, "1048576\nkey=\n");
}

TEST(LimitsTest, AFileLimitEndsAChattyChild) {
  const ChildOptions options{
      .arguments = {"sh", "-c", "f=$(mktemp); head -c 100000000 /dev/zero > $f; s=$?; rm $f; exit $s"}};
  const auto output = run_child(confine(options, worker_limits(std::nullopt)), 20000);
  ASSERT_TRUE(output.has_value());
  EXPECT_FALSE(output->exit.ok());
}

TEST(MemoryWatchTest, SeesGrowth) {
  auto child = Child::start({.arguments = {"python3", "-c", "x = bytearray(200 << 20); import time; time.sleep(60)"}});
  ASSERT_TRUE(child.has_value());
  MemoryWatch generous(uint64_t{4} << 30);
  MemoryWatch strict(uint64_t{100} << 20);
  MemoryWatch none(std::nullopt);
  bool seen = false;
  for (int round = 0; round < 1000 && !seen; ++round) {
    seen = strict.exceeded(*child);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(seen);
  EXPECT_FALSE(generous.exceeded(*child));
  EXPECT_FALSE(none.exceeded(*child));
}

}  // namespace
}  // namespace stitch::sandbox
