// SPDX-License-Identifier: Apache-2.0
#include "evaluate/timing/reported_time.h"

#include <fmt/format.h>

#include <cmath>

namespace stitch::evaluate {
namespace {

// What is left of a block after the subtraction must be more than its empty twin's own unsteadiness.
constexpr double kMinPart = 0.005;
// Events tick in steps of about half a microsecond; a round trip between processes jitters by tens.
constexpr double kEventSlackUs = 50;

bool is_time(double value) { return std::isfinite(value) && value >= 0; }

}  // namespace

ReportedTime reported_time(const BlockTimes& block) {
  ReportedTime time;
  if (block.calls <= 0 || !is_time(block.keeper_us) || !is_time(block.keeper_empty_us) || !is_time(block.event_us) ||
      !is_time(block.event_empty_us) || block.keeper_us <= 0) {
    time.refusal = "a clock gave no time";
    return time;
  }
  if (block.event_us > block.keeper_us + kEventSlackUs) {
    time.refusal =
        fmt::format("the worker's events tell of {:.1f} us in a block that took {:.1f} us by the keeper's clock",
                    block.event_us, block.keeper_us);
    return time;
  }
  const double by_keeper = block.keeper_us - block.keeper_empty_us;
  const double by_events = block.event_us - block.event_empty_us;
  const double both = std::fmax(by_keeper, by_events);
  if (!(both >= kMinPart * block.keeper_us)) {
    time.refusal = fmt::format("{} calls cannot be told from none: {:.1f} us with them, {:.1f} us without", block.calls,
                               block.keeper_us, block.keeper_empty_us);
    return time;
  }
  time.by_events = by_events > by_keeper;
  time.per_call_us = both / block.calls;
  return time;
}

}  // namespace stitch::evaluate
