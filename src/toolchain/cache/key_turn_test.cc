// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache/key_turn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include "base/fs/files.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLongMs = 60'000;

class KeyTurnTest : public testing::Test {
 protected:
  KeyTurn wait_for(const std::string& name) {
    return KeyTurn::wait(folder.path(), name, {.limit_ms = kLongMs}, [] { return false; });
  }

  size_t files() const {
    const fs::path turns = folder.path() / "turns";
    return static_cast<size_t>(std::distance(fs::directory_iterator(turns), fs::directory_iterator()));
  }

  // Another process that has the turn and keeps it.
  pid_t start_holder() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t holder = ::fork();
    if (holder == 0) {
      const std::optional<KeyTurn> turn = KeyTurn::try_take(folder.path(), "key");
      const char had = turn.has_value() && turn->is_held() ? 'y' : 'n';
      static_cast<void>(::write(ends[1], &had, 1) == 1);
      ::pause();
      ::_exit(1);
    }
    char had = 0;
    EXPECT_EQ(::read(ends[0], &had, 1), 1);
    EXPECT_EQ(had, 'y');
    ::close(ends[0]);
    ::close(ends[1]);
    return holder;
  }

  void kill(pid_t holder) {
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
  }

  TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-turn-test").value();
};

TEST_F(KeyTurnTest, OneHasItAtATimeAndNoFileStays) {
  std::optional<KeyTurn> turn = KeyTurn::try_take(folder.path(), "key");
  ASSERT_TRUE(turn.has_value());
  EXPECT_TRUE(turn->is_held());
  EXPECT_FALSE(KeyTurn::try_take(folder.path(), "key").has_value());
  EXPECT_TRUE(KeyTurn::try_take(folder.path(), "other")->is_held());
  turn.reset();
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(KeyTurn::try_take(folder.path(), "key")->is_held());
}

TEST_F(KeyTurnTest, OfManyThatWaitOneMakesIt) {
  std::atomic<bool> is_made = false;
  std::atomic<int> makers = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const KeyTurn turn = KeyTurn::wait(folder.path(), "key", {.limit_ms = kLongMs}, [&] { return is_made.load(); });
        if (!is_made) {
          ++makers;
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          is_made = true;
        }
      });
    }
  }
  EXPECT_EQ(makers, 1);
  EXPECT_EQ(files(), 0u);
}

TEST_F(KeyTurnTest, OneThatDiesIsFollowedByAnother) {
  const pid_t holder = start_holder();
  EXPECT_FALSE(KeyTurn::try_take(folder.path(), "key").has_value());
  std::atomic<bool> is_had = false;
  {
    const std::jthread waiter([&] { is_had = wait_for("key").is_held(); });
    kill(holder);
  }
  EXPECT_TRUE(is_had);
  EXPECT_EQ(files(), 0u);
}

TEST_F(KeyTurnTest, OneThatMadeNothingLetsAllGoOnAtOnce) {
  std::optional<KeyTurn> turn = KeyTurn::try_take(folder.path(), "key");
  std::atomic<int> waiting = 0;
  std::atomic<int> held = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        bool is_told = false;
        const KeyTurn own = KeyTurn::wait(folder.path(), "key", {.limit_ms = kLongMs}, [&] {
          waiting += std::exchange(is_told, true) ? 0 : 1;
          return false;
        });
        held += own.is_held() ? 1 : 0;
      });
    }
    while (waiting < 4) {
      std::this_thread::yield();
    }
    turn.reset();
  }
  EXPECT_EQ(held, 0);
  EXPECT_EQ(files(), 0u);
}

TEST_F(KeyTurnTest, WaitingEndsWithItsLimitAndWhenAbandoned) {
  const std::optional<KeyTurn> turn = KeyTurn::try_take(folder.path(), "key");
  const auto never = [] { return false; };
  EXPECT_FALSE(KeyTurn::wait(folder.path(), "key", {.limit_ms = 20}, never).is_held());
  const TurnWait abandoned{.limit_ms = kLongMs, .is_abandoned = [] { return true; }};
  EXPECT_FALSE(KeyTurn::wait(folder.path(), "key", abandoned, never).is_held());
  EXPECT_TRUE(turn->is_held());
}

TEST_F(KeyTurnTest, WithoutLocksEverybodyGoesOn) {
  const fs::path file = folder.path() / "a file";
  ASSERT_TRUE(write_file(file, "").has_value());
  const std::optional<KeyTurn> first = KeyTurn::try_take(file, "key");
  const std::optional<KeyTurn> second = KeyTurn::try_take(file, "key");
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_FALSE(first->is_held() || second->is_held());
  EXPECT_FALSE(KeyTurn::wait(file, "key", {.limit_ms = kLongMs}, [] { return false; }).is_held());
}

TEST_F(KeyTurnTest, FilesOfThoseThatWereKilledAreRemovedAndNoOthers) {
  kill(start_holder());
  const std::optional<KeyTurn> turn = KeyTurn::try_take(folder.path(), "another");
  EXPECT_EQ(files(), 2u);
  remove_abandoned_turns(folder.path());
  EXPECT_EQ(files(), 1u);
  EXPECT_FALSE(KeyTurn::try_take(folder.path(), "another").has_value());
}

}  // namespace
}  // namespace stitch::toolchain
