// SPDX-License-Identifier: Apache-2.0
// Workers that compete for GPUs: processes, since the lock goes with the process.
#include "farm/place/gpu_place.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "base/fs/files.h"

namespace stitch::farm {
namespace {

constexpr int kWorkers = 8;
constexpr int kTurns = 5;  // of each

int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Takes whichever GPU is free, five times, and writes down from when to when. Never returns.
[[noreturn]] void compete(const std::filesystem::path& folder, int worker) {
  std::string told;
  for (int turn = 0; turn < kTurns;) {
    for (int gpu = 0; gpu < 2 && turn < kTurns; ++gpu) {
      const Result<GpuPlace> place = GpuPlace::take(folder, fmt::format("GPU-{}", gpu));
      if (place.has_value()) {
        const int64_t begun = now_us();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        told += fmt::format("{} {} {}\n", gpu, begun, now_us());
        ++turn;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::_exit(write_file(folder / fmt::format("told-{}", worker), told).has_value() ? 0 : 1);
}

// S5
TEST(GpuPlaceTest, EightWorkersNeverShareOneOfTwoGpus) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-place").value();
  std::vector<pid_t> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    workers.push_back(::fork());
    if (workers.back() == 0) {
      compete(folder.path(), worker);
    }
  }
  for (const pid_t worker : workers) {
    int status = 0;
    ASSERT_EQ(::waitpid(worker, &status, 0), worker);
    EXPECT_EQ(status, 0);
  }
  std::vector<std::vector<std::pair<int64_t, int64_t>>> held(2);
  for (int worker = 0; worker < kWorkers; ++worker) {
    std::istringstream told(read_file(folder.path() / fmt::format("told-{}", worker)).value());
    size_t gpu = 0;
    int64_t begun = 0;
    int64_t ended = 0;
    while (told >> gpu >> begun >> ended) {
      held.at(gpu).emplace_back(begun, ended);
    }
  }
  EXPECT_EQ(held[0].size() + held[1].size(), static_cast<size_t>(kWorkers * kTurns));
  for (auto& of_gpu : held) {
    std::sort(of_gpu.begin(), of_gpu.end());
    for (size_t i = 1; i < of_gpu.size(); ++i) {
      EXPECT_GE(of_gpu[i].first, of_gpu[i - 1].second);
    }
  }
}

TEST(GpuPlaceTest, AGpuWhoseWorkerWasKilledIsFree) {
  const TemporaryDirectory folder = TemporaryDirectory::make("stitchcuda-place").value();
  const pid_t worker = ::fork();
  if (worker == 0) {
    const Result<GpuPlace> place = GpuPlace::take(folder.path(), "GPU-0");
    ::_exit(place.has_value() && write_file(folder.path() / "begun", "").has_value() && ::pause() == 0 ? 0 : 1);
  }
  while (!std::filesystem::exists(folder.path() / "begun")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_FALSE(GpuPlace::take(folder.path(), "GPU-0").has_value());
  ::kill(worker, SIGKILL);
  ASSERT_EQ(::waitpid(worker, nullptr, 0), worker);
  EXPECT_TRUE(GpuPlace::take(folder.path(), "GPU-0").has_value());
}

}  // namespace
}  // namespace stitch::farm
