// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/warm_up.h"

#include <algorithm>

namespace stitch::evaluate {
namespace {

// Three that agree among themselves and with the three before them. An autotuner that tries settings in its first calls
// shows as a step; five calls were seen to be too few for some.
constexpr size_t kAgree = 3;
constexpr size_t kMinCalls = 2 * kAgree;
constexpr size_t kMaxCalls = 40;
constexpr double kWithin = 1.05;
constexpr double kMaxTotalUs = 3e6;

}  // namespace

WarmUp judge_warm_up(std::span<const double> times_us) {
  double total_us = 0;
  for (const double time_us : times_us) {
    total_us += time_us;
  }
  if (times_us.size() >= kMinCalls) {
    const std::span<const double> last = times_us.last(kAgree);
    const std::span<const double> before = times_us.last(kMinCalls).first(kAgree);
    const double low = *std::min_element(last.begin(), last.end());
    const double high = *std::max_element(last.begin(), last.end());
    const double best_before = *std::min_element(before.begin(), before.end());
    if (low > 0 && high <= kWithin * low && best_before <= kWithin * high) {
      return WarmUp::kWarm;
    }
  }
  // A program whose one call takes seconds is called twice and not forty times.
  const bool is_long = times_us.size() >= 2 && total_us > kMaxTotalUs;
  return times_us.size() >= kMaxCalls || is_long ? WarmUp::kGivenUp : WarmUp::kGoOn;
}

}  // namespace stitch::evaluate
