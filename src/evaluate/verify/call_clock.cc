// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_clock.h"

#include <time.h>

#include <algorithm>

namespace stitch::evaluate {
namespace {

double own_processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

CallClock::CallClock(const Candidate& candidate)
    : candidate_(candidate),
      start_(std::chrono::steady_clock::now()),
      own_before_(own_processor_seconds()),
      candidate_before_(candidate.processor_seconds()) {}

double CallClock::passed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double CallClock::seconds() const {
  const std::optional<double> now = candidate_.processor_seconds();
  // A process that was started meanwhile began to count anew.
  if (!candidate_before_.has_value() || !now.has_value() || *now <= *candidate_before_) {
    return passed();
  }
  return std::min(passed(), own_processor_seconds() - own_before_ + *now - *candidate_before_);
}

}  // namespace stitch::evaluate
