// SPDX-License-Identifier: Apache-2.0
#include "completions/run/scheduler.h"

#include <utility>

namespace stitch::completions {

Scheduler::Scheduler(Engine& engine, SchedulerLimits limits)
    : engine_(engine), limits_(limits), thread_([this] { run(); }) {}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Scheduler::push(std::shared_ptr<Work> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= limits_.max_waiting) {
      return false;
    }
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
  return true;
}

bool Scheduler::fits(const Work& work) const {
  return rows_ == 0 || work.rows() == 0 || rows_ + work.rows() <= limits_.max_rows;
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !waiting_.empty() || !drawn_.empty(); });
    if (waiting_.empty() && drawn_.empty()) {
      return;
    }
    if (!waiting_.empty() && fits(*waiting_.front())) {
      const std::shared_ptr<Work> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      if (const std::optional<DrawId> id = work->begin(); id.has_value()) {
        drawn_.emplace(*id, work);
        rows_ += work->rows();
      }
    } else {
      lock.unlock();
      step();
    }
    lock.lock();
  }
}

void Scheduler::step() {
  for (EndedDraw& ended : engine_.step()) {
    const auto found = drawn_.find(ended.id);
    STITCH_CHECK(found != drawn_.end()) << "the engine ended a draw that nobody began";
    found->second->end(std::move(ended.samples));
    rows_ -= found->second->rows();
    drawn_.erase(found);
  }
}

}  // namespace stitch::completions
