// SPDX-License-Identifier: Apache-2.0
// Times and durations as a person says them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runs/record/run_record.h"

namespace stitch::cli {

// "2026-11-21T13:04:55Z" in seconds since 1970; nullopt for what is no such time.
std::optional<int64_t> seconds_since_1970(const std::string& utc);

// "just now", "5 minutes ago", "3 hours ago", "yesterday", "4 days ago", else the day; the time as it was when unclear.
std::string when(const std::string& utc, int64_t now);

// "9.8 s", "3 min 12 s"
std::string duration(double seconds);

// "82.2 us modelled" or "79.0 us"; "-" where the run did not come so far.
std::string program_time(const runs::RunRecord& record);

}  // namespace stitch::cli
