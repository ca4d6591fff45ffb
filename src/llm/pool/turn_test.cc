// SPDX-License-Identifier: Apache-2.0
#include "llm/pool/turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/fs/files.h"

namespace stitch::llm {
namespace {

struct TurnTest : ::testing::Test {
  TemporaryDirectory folder = TemporaryDirectory::make("turns").value();
  PoolUse use{.folder = (folder.path() / "endpoint").string(), .limits = {.concurrency = 2}};

  Turn taken() { return std::move(Turn::wait(use, {}).value().value()); }
};

TEST_F(TurnTest, NeverMoreThanTwoAtOnceAndAllGetThere) {
  std::atomic<int> inside{0};
  std::atomic<int> served{0};
  std::atomic<bool> is_crowded{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        const Turn turn = taken();
        is_crowded = is_crowded || ++inside > 2;
        std::this_thread::yield();
        --inside;
        ++served;
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_FALSE(is_crowded);
  EXPECT_EQ(served, 40);
}

TEST_F(TurnTest, WhoIsKilledLeavesNoPlaceTaken) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Turn one = taken();
    const Turn two = taken();
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Turn one = taken();
  const Turn two = taken();
}

TEST_F(TurnTest, WhoeverGivesUpLeavesTheQueue) {
  Turn one = taken();
  const Turn two = taken();
  std::string told;
  const auto given_up = Turn::wait(
      use, {.is_abandoned = [] { return true; }, .told = [&](const std::string& sentence) { told = sentence; }});
  ASSERT_TRUE(given_up.has_value());
  EXPECT_FALSE(given_up->has_value());
  EXPECT_EQ(told, "waits for the endpoint: 2 before it");
  one.end(7, 0);
  const Turn three = taken();
}

TEST_F(TurnTest, WhatTheServerAsksForHoldsForAll) {
  taken().end(std::nullopt, 60'000);
  std::string told;
  const auto given_up = Turn::wait(
      use, {.is_abandoned = [] { return true; }, .told = [&](const std::string& sentence) { told = sentence; }});
  EXPECT_FALSE(given_up.value().has_value());
  EXPECT_EQ(told, "waits 60 s for the endpoint's rate");
}

TEST_F(TurnTest, AFolderThatCannotBeWrittenIsAnError) {
  ASSERT_TRUE(write_file(folder.path() / "file", "").has_value());
  use.folder = (folder.path() / "file" / "endpoint").string();
  EXPECT_FALSE(Turn::wait(use, {}).has_value());
}

}  // namespace
}  // namespace stitch::llm
