// SPDX-License-Identifier: Apache-2.0
#include "synth/make/lanes.h"

namespace stitch::synth {

Lanes::Lanes(int count, const driver::Options& options, const driver::Services& services) {
  for (int number = 0; number < count; ++number) {
    threads_.emplace_back([this, &options, &services] { serve(options, services); });
  }
}

Lanes::~Lanes() {
  const std::lock_guard lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void Lanes::serve(const driver::Options& options, const driver::Services& services) {
  TaskProcess process(options, services);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || (work_ != nullptr && next_ < count_); });
    if (ends_) {
      lock.unlock();
      return;
    }
    const size_t number = next_++;
    running_ += 1;
    lock.unlock();
    Result<void> done = (*work_)(process, number);
    lock.lock();
    running_ -= 1;
    if (!done.has_value() && result_.has_value()) {
      result_ = std::move(done);
      next_ = count_;
    }
    changed_.notify_all();
  }
}

Result<void> Lanes::run(size_t count, const Work& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = count;
  result_ = Result<void>();
  changed_.notify_all();
  changed_.wait(lock, [this] { return next_ >= count_ && running_ == 0; });
  work_ = nullptr;
  return std::move(result_);
}

}  // namespace stitch::synth
