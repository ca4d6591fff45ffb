// SPDX-License-Identifier: Apache-2.0
// Keeps a lease alive while its job runs, on a thread and a connection of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "store/interface/store.h"

namespace stitch::farm {

class Heartbeat {
 public:
  Heartbeat(const std::string& store_url, store::Lease lease, int64_t lease_ms, int64_t beat_ms);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  // The job is another's by now, or nobody's: what works on it shall stop.
  bool is_lost() const { return is_lost_; }

 private:
  void beat(const std::string& store_url);

  const store::Lease lease_;
  const int64_t lease_ms_;
  const int64_t beat_ms_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_over_ = false;
  std::atomic<bool> is_lost_ = false;
  std::thread thread_;
};

}  // namespace stitch::farm
