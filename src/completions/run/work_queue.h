// SPDX-License-Identifier: Apache-2.0
// One thread that does pieces of work one after another, in the order in which they came.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stitch::completions {

class WorkQueue {
 public:
  explicit WorkQueue(size_t most);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;
  // Does what is left first.
  ~WorkQueue();

  // False where `most` pieces wait.
  bool push(std::function<void()> work);
  size_t waiting() const;

 private:
  void run();

  const size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;  // under mutex_, as the next
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace stitch::completions
