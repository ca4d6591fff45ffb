// SPDX-License-Identifier: Apache-2.0
// The clocks that a timing ran at, as nvidia-smi tells them: recorded beside every time, and a reason to measure again
// where the GPU was held back while it was timed.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::evaluate {

// What to ask for: nvidia-smi --query-gpu=<this> --format=csv,noheader,nounits
inline constexpr const char* kClockQuery =
    "clocks.current.sm,clocks.current.memory,clocks.max.sm,temperature.gpu,power.draw,clocks_throttle_reasons.active";

struct Clocks {
  double sm_mhz = 0;
  double memory_mhz = 0;
  double max_sm_mhz = 0;
  double temperature_c = 0;
  double power_w = 0;
  uint64_t throttle_reasons = 0;
};

// One line of nvidia-smi's answer to kClockQuery. "[N/A]" is read as 0.
Result<Clocks> parse_clocks(std::string_view line);

// Empty, or a sentence: throttled by heat, power brake or hardware before or after, or clocks that moved by more than a
// tenth between the two. Idle clocks before the first work are no reason.
std::string clock_refusal(const Clocks& before, const Clocks& after);

}  // namespace stitch::evaluate
