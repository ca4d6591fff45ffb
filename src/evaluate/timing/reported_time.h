// SPDX-License-Identifier: Apache-2.0
// The time that is reported for a block of calls: the longer one of two clocks, each less what the same block costs
// without calls. The keeper's clock is trusted; the events are the worker's own word, which can only make it longer.
#pragma once

#include <string>

namespace stitch::evaluate {

struct BlockTimes {
  int calls = 0;
  double keeper_us = 0;  // from the last input written to the first output read
  double keeper_empty_us = 0;
  double event_us = 0;  // 0 where the worker gave none
  double event_empty_us = 0;
};

struct ReportedTime {
  double per_call_us = 0;
  bool by_events = false;
  std::string refusal;  // a sentence; then there is no time
};

ReportedTime reported_time(const BlockTimes& block);

}  // namespace stitch::evaluate
