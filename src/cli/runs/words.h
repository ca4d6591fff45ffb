// SPDX-License-Identifier: Apache-2.0
// Times and durations as a person says them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runs/record/run_summary.h"

namespace stitch::cli {

using runs::seconds_since_1970;

// "just now", "5 minutes ago", "3 hours ago", "yesterday", "4 days ago", else the day; the time as it was when unclear.
std::string when(const std::string& utc, int64_t now);

// "9.8 s", "3 min 12 s"
std::string duration(double seconds);

// "82.2 us modelled" or "79.0 us"; "-" where the run did not come so far.
std::string program_time(const runs::RunSummary& run);

}  // namespace stitch::cli
