// SPDX-License-Identifier: Apache-2.0
// The thread of an engine: which requests are drawn for together. A row of the batch that has ended makes room at once
// for the next that waits (continuous batching, as Orca's and vLLM's schedulers have it).
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "completions/run/engine.h"

namespace stitch::completions {

// What the engine is given to do; on its thread alone.
class Work {
 public:
  virtual ~Work() = default;
  // Samples that it draws at once; 0: begin() is all of it.
  virtual int64_t rows() const = 0;
  // None: there is nothing to be drawn (any more), and end() is not called.
  virtual std::optional<DrawId> begin() = 0;
  virtual void end(Result<std::vector<Drawn>> samples) = 0;
};

struct SchedulerLimits {
  size_t max_waiting = 64;  // works that have not begun
  int64_t max_rows = 8;     // samples drawn at once; work with more is drawn by itself
};

class Scheduler {
 public:
  // `engine` must outlive it.
  Scheduler(Engine& engine, SchedulerLimits limits);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  // Does what is left first.
  ~Scheduler();

  // From any thread. Work begins in the order in which it came, so that none is passed by others for ever. False where
  // `max_waiting` works wait.
  bool push(std::shared_ptr<Work> work);

 private:
  void run();
  bool fits(const Work& work) const;
  void step();

  Engine& engine_;
  const SchedulerLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Work>> waiting_;  // under mutex_, as the next
  bool is_over_ = false;
  std::map<DrawId, std::shared_ptr<Work>> drawn_;  // for the thread alone, as the next
  int64_t rows_ = 0;
  std::thread thread_;  // last: it uses the others
};

}  // namespace stitch::completions
