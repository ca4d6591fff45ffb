// SPDX-License-Identifier: Apache-2.0
#include "base/parallel/crew.h"

#include <thread>

namespace stitch {

void Crew::start(std::function<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->running;
  }
  std::thread([state = state_, work = std::move(work)]() mutable {
    work();
    work = {};  // what it holds ends before the thread counts as over
    const std::lock_guard lock(state->mutex);
    --state->running;
    state->changed.notify_all();
  }).detach();
}

void Crew::wait() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [this] { return state_->running == 0; });
}

}  // namespace stitch
