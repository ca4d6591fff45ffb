// SPDX-License-Identifier: Apache-2.0
#include "farm/work/heartbeat.h"

#include <chrono>
#include <memory>

#include "store/open/open_store.h"

namespace stitch::farm {

using Clock = std::chrono::steady_clock;

Heartbeat::Heartbeat(const std::string& store_url, store::Lease lease, int64_t lease_ms, int64_t beat_ms)
    : lease_(std::move(lease)),
      lease_ms_(lease_ms),
      beat_ms_(beat_ms),
      thread_([this, store_url] { beat(store_url); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

// A store that does not answer for a whole lease has given the job to another by then.
void Heartbeat::beat(const std::string& store_url) {
  const store::StoreOptions options{.patience_ms = beat_ms_};
  std::unique_ptr<store::Store> own;
  Clock::time_point heard = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(beat_ms_), [this] { return is_over_; })) {
    lock.unlock();
    if (own == nullptr) {
      Result<std::unique_ptr<store::Store>> opened = store::open_store(store_url, options);
      own = opened.has_value() ? std::move(opened).value() : nullptr;
    }
    const Result<bool> held = own == nullptr ? Result<bool>(failure(ErrorCode::kEnvironment, "there is no store"))
                                             : own->beat(lease_, lease_ms_);
    const Clock::time_point now = Clock::now();
    heard = held.has_value() ? now : heard;
    is_lost_ = held.has_value() ? !*held : now - heard > std::chrono::milliseconds(lease_ms_);
    lock.lock();
    if (is_lost_) {
      return;
    }
  }
}

}  // namespace stitch::farm
