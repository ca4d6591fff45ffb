// SPDX-License-Identifier: Apache-2.0
#include "completions/run/work_queue.h"

#include <utility>

namespace stitch::completions {

WorkQueue::WorkQueue(size_t most) : most_(most), thread_([this] { run(); }) {}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool WorkQueue::push(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (work_.size() >= most_) {
      return false;
    }
    work_.push_back(std::move(work));
  }
  changed_.notify_all();
  return true;
}

size_t WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return work_.size();
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !work_.empty(); });
    if (work_.empty()) {
      return;
    }
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace stitch::completions
