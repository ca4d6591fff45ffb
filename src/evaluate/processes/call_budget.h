// SPDX-License-Identifier: Apache-2.0
// The time that all calls of a candidate may take together, over all its processes. Without it a candidate just under
// the limit of one call could hold up the judging for that limit times the number of calls.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace stitch::evaluate {

// Safe to use from several threads, since two draws run at once.
class CallBudget {
 public:
  explicit CallBudget(int64_t total_ms) : total_ms_(total_ms) {}

  int64_t total_ms() const { return total_ms_; }
  int64_t left_ms() const { return std::max<int64_t>(0, total_ms_ - spent_us_.load() / 1000); }
  void spend(std::chrono::steady_clock::duration time) {
    spent_us_ += std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  }

 private:
  const int64_t total_ms_;
  std::atomic<int64_t> spent_us_ = 0;
};

}  // namespace stitch::evaluate
