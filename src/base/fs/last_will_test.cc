// SPDX-License-Identifier: Apache-2.0
#include "base/process/last_will.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "base/fs/files.h"
#include "base/process/child.h"
#include "base/process/identity.h"

namespace stitch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool becomes_true(const std::function<bool()>& condition) {
  for (int round = 0; round < 500; ++round) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// Also when nobody has reaped it.
bool has_ended(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string number;
  std::string name;
  std::string state;
  file >> number >> name >> state;
  return state.empty() || state == "Z" || state == "X";
}

// Starts a shell with a child of its own, makes a temporary folder under `parent`, and says so by two files.
[[noreturn]] void work_until_killed(const fs::path& parent) {
  start_last_will();
  const auto folder = TemporaryDirectory::make("work", parent);
  auto child = Child::start(
      {.arguments = {"sh", "-c", "sleep 600 & echo $! >\"$0\"/inner; sleep 600", folder->path().string()}});
  while (true) {
    ::pause();
  }
}

TEST(LastWill, AKilledProcessLeavesNeitherChildrenOfChildrenNorFolders) {
  const TemporaryDirectory parent = TemporaryDirectory::make("stitchcuda-will-test").value();
  const pid_t worker = ::fork();
  if (worker == 0) {
    work_until_killed(parent.path());
  }
  std::string inner;
  ASSERT_TRUE(becomes_true([&] {
    for (const auto& entry : fs::directory_iterator(parent.path())) {
      std::ifstream(entry.path() / "inner") >> inner;
    }
    return !inner.empty();
  }));
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return entries(parent.path()) == 0; }));
  EXPECT_TRUE(becomes_true([&] { return has_ended(inner); }));
}

TEST(LastWill, WhatAProcessWithoutOneLeftIsFoundByItsName) {
  const TemporaryDirectory parent = TemporaryDirectory::make("stitchcuda-leftovers-test").value();
  const std::string own = own_name_part();
  const std::string gone = own.substr(0, own.rfind('-') + 1) + "1";
  for (const std::string& name : {"work-" + gone + "-abcdef", "work-" + own + "-abcdef", "other-" + gone + "-abcdef",
                                  std::string("work-of-mine"), std::string("work")}) {
    ASSERT_TRUE(write_file(parent.path() / name / "file", "text").has_value());
  }
  remove_leftovers(parent.path(), "work-");
  EXPECT_EQ(entries(parent.path()), 4u);
  EXPECT_FALSE(fs::exists(parent.path() / ("work-" + gone + "-abcdef")));
}

}  // namespace
}  // namespace stitch
