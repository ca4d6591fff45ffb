// SPDX-License-Identifier: Apache-2.0
#include "base/process/patience.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>

#include "base/process/tree.h"

namespace stitch {
namespace {

constexpr int64_t kMaxSlowdown = 20;   // a machine that is slower than this is as good as broken
constexpr int64_t kMinSleepMs = 5;     // between two looks at the processes
constexpr int64_t kMinWatchedMs = 50;  // shorter limits ask whether something has happened already
// Of limits that are so long, the first milliseconds count whoever had the processors: most answers come before, and to
// look at all threads takes longer than many an answer.
constexpr int64_t kMinLongMs = 1000;
constexpr int64_t kFirstLookMs = 10;
constexpr double kNanosecondsPerMillisecond = 1e6;
constexpr double kNanosecondsPerSecond = 1e9;

// /proc/<pid>/task/<thread>/schedstat of every thread. Empty where the kernel does not keep it: then the clock counts.
void add_threads(pid_t pid, std::map<pid_t, ProcessorTime>& times) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  DIR* folder = ::opendir(tasks.c_str());
  if (folder == nullptr) {
    return;
  }
  while (const dirent* entry = ::readdir(folder)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) {
      continue;
    }
    std::FILE* file = std::fopen((tasks + "/" + entry->d_name + "/schedstat").c_str(), "re");
    unsigned long long ran = 0;
    unsigned long long waited = 0;
    if (file != nullptr && std::fscanf(file, "%llu %llu", &ran, &waited) == 2) {
      times[static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10))] = {ran, waited};
    }
    if (file != nullptr) {
      std::fclose(file);
    }
  }
  ::closedir(folder);
}

std::map<pid_t, ProcessorTime> times_of_tree(pid_t root) {
  std::map<pid_t, ProcessorTime> times;
  for (const pid_t pid : list_tree(root)) {
    add_threads(pid, times);
  }
  return times;
}

}  // namespace

double processor_seconds(pid_t root) {
  double ran = 0;
  for (const auto& [thread, time] : times_of_tree(root)) {
    ran += static_cast<double>(time.ran_ns);
  }
  return ran / kNanosecondsPerSecond;
}

Patience::Patience(pid_t root, int64_t limit_ms)
    : root_(root),
      limit_ms_(limit_ms),
      start_(Clock::now()),
      end_by_clock_(limit_ms < 0 ? Clock::time_point::max() : start_ + std::chrono::milliseconds(limit_ms)),
      next_look_(end_by_clock_) {
  if (limit_ms_ >= kMinLongMs) {
    next_look_ = start_ + std::chrono::milliseconds(kFirstLookMs);
  } else if (limit_ms_ >= kMinWatchedMs) {
    watch();
  }
}

void Patience::watch() {
  before_ = times_of_tree(root_);
  machine_before_ = machine_time();
  is_watching_ = true;
}

Patience::MachineTime Patience::machine_time() {
  std::FILE* file = std::fopen("/proc/stat", "re");
  if (file == nullptr) {
    return {};
  }
  // user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen by other virtual machines
  std::array<double, 8> ticks{};
  size_t fields = std::fscanf(file, "cpu") == 0 ? 0 : ticks.size() + 1;
  while (fields < ticks.size() && std::fscanf(file, "%lf", &ticks[fields]) == 1) {
    ++fields;
  }
  std::fclose(file);
  if (fields != ticks.size()) {
    return {};
  }
  const double all = std::accumulate(ticks.begin(), ticks.end(), 0.0);
  return {all - ticks[3] - ticks[4], all};
}

// What does not count is the least of three: what the tree's threads waited (a tree that mostly sleeps has hardly been
// held up), the share of waiting in the time they wanted a processor, and the share of all processors that others had
// (threads that wait for one another's turn are the tree's own affair).
int64_t Patience::counted_ms(int64_t passed_ms) const {
  double ran = 0;
  double waited = 0;
  for (const auto& [thread, now] : times_of_tree(root_)) {
    const auto found = before_.find(thread);
    const ProcessorTime before = found == before_.end() ? ProcessorTime{} : found->second;
    // A number that was given to another thread meanwhile starts anew.
    const bool is_same = now.ran_ns >= before.ran_ns && now.waited_ns >= before.waited_ns;
    ran += static_cast<double>(now.ran_ns - (is_same ? before.ran_ns : 0));
    waited += static_cast<double>(now.waited_ns - (is_same ? before.waited_ns : 0));
  }
  if (waited <= 0) {
    return passed_ms;
  }
  const auto passed = static_cast<double>(passed_ms);
  const MachineTime machine = machine_time();
  const double own_ticks = ran / kNanosecondsPerSecond * static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double of_others = std::max(0.0, machine.busy - machine_before_.busy - own_ticks);
  const double all = machine.all - machine_before_.all;
  const double share_of_others = all > 0 ? std::min(1.0, of_others / all) : 0.0;
  const double held_up =
      std::min({passed * waited / (ran + waited), waited / kNanosecondsPerMillisecond, passed * share_of_others});
  return passed_ms - static_cast<int64_t>(held_up);
}

Patience::Clock::duration Patience::counted() const {
  const Clock::duration passed = Clock::now() - start_;
  if (!is_watching_) {
    return passed;
  }
  const int64_t passed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
  return passed - std::chrono::milliseconds(passed_ms - counted_ms(passed_ms));
}

bool Patience::is_over() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) {
    return false;
  }
  if (limit_ms_ >= kMinLongMs && !is_watching_) {
    watch();
    next_look_ = end_by_clock_;
    return false;
  }
  const int64_t passed_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - start_).count();
  if (limit_ms_ < kMinWatchedMs || passed_ms / kMaxSlowdown >= limit_ms_) {
    return true;
  }
  const int64_t left_ms = limit_ms_ - counted_ms(passed_ms);
  next_look_ = now + std::chrono::milliseconds(std::max(left_ms, kMinSleepMs));
  return left_ms <= 0;
}

}  // namespace stitch
