// SPDX-License-Identifier: Apache-2.0
#include "farm/work/limited_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "base/process/tree.h"

namespace stitch::farm {
namespace {

using Clock = std::chrono::steady_clock;

// Often enough that a tree which fills memory as fast as it can is seen within some hundred megabytes.
constexpr std::chrono::milliseconds kLook{100};
constexpr int kFirstToGo = 500;

// Looks at a process tree until it is told to stop, and ends it where it takes too much memory
// or nobody wants it.
class MemoryWatch {
 public:
  MemoryWatch(pid_t root, const ProcessLimits& limits) : root_(root), limits_(limits), thread_([this] { watch(); }) {}
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  bool is_out_of_memory() const { return is_out_of_memory_; }
  bool is_unwanted() const { return is_unwanted_; }
  uint64_t max_resident_bytes() const { return max_resident_bytes_; }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kLook, [this] { return is_over_; })) {
      const uint64_t bytes = resident_bytes_of_tree(root_);
      max_resident_bytes_ = std::max(max_resident_bytes_, bytes);
      is_out_of_memory_ = limits_.max_bytes > 0 && bytes > limits_.max_bytes;
      is_unwanted_ = limits_.is_unwanted && limits_.is_unwanted();
      if (is_out_of_memory_ || is_unwanted_) {
        kill_process_tree(root_);
        return;
      }
    }
  }

  pid_t root_;
  const ProcessLimits& limits_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  bool is_out_of_memory_ = false;  // these are read once the thread is joined
  bool is_unwanted_ = false;
  uint64_t max_resident_bytes_ = 0;
  std::thread thread_;
};

// A child that runs already, to its end.
Result<ProcessOutcome> watch(Child child, const ProcessLimits& limits) {
  const auto start = Clock::now();
  // Where memory ends before the limit does, the kernel shall choose this tree and not the bench.
  std::ofstream(fmt::format("/proc/{}/oom_score_adj", child.pid())) << kFirstToGo;
  MemoryWatch watch(child.pid(), limits);
  Result<ChildOutput> output = collect(std::move(child), limits.timeout_ms);
  watch.stop();
  STITCH_ASSIGN(ChildOutput ended, std::move(output));
  ProcessOutcome outcome;
  outcome.exit = ended.exit;
  outcome.is_out_of_memory = watch.is_out_of_memory();
  outcome.is_unwanted = watch.is_unwanted();
  outcome.max_resident_bytes = watch.max_resident_bytes();
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  outcome.standard_output = std::move(ended.standard_output);
  outcome.standard_error = std::move(ended.standard_error);
  return outcome;
}

// Nothing where the server cannot start it, or has ended before it.
Result<std::optional<ProcessOutcome>> run_forked(const ChildOptions& options, const ProcessLimits& limits,
                                                 ForkServer& server) {
  Result<Child> child = server.start_child(options);
  if (!child.has_value()) {
    return std::optional<ProcessOutcome>();
  }
  STITCH_ASSIGN(ProcessOutcome outcome, watch(std::move(*child), limits));
  const bool is_ended_by_us = outcome.is_out_of_memory || outcome.is_unwanted || outcome.exit.timed_out;
  if (outcome.exit.signal == SIGKILL && !is_ended_by_us && server.has_ended()) {
    return std::optional<ProcessOutcome>();
  }
  return std::optional<ProcessOutcome>(std::move(outcome));
}

}  // namespace

Result<ProcessOutcome> run_limited(const ChildOptions& options, const ProcessLimits& limits, ForkServer* server) {
  if (server != nullptr) {
    STITCH_ASSIGN(std::optional<ProcessOutcome> outcome, run_forked(options, limits, *server));
    if (outcome.has_value()) {
      return std::move(*outcome);
    }
  }
  STITCH_ASSIGN(Child child, Child::start(options));
  return watch(std::move(child), limits);
}

}  // namespace stitch::farm
