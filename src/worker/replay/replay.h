// SPDX-License-Identifier: Apache-2.0
// A program called by itself, for a profiler to look at: on memory of this process, without keeper, verdict or answer.
// No time that it tells is one that a verdict or a report of times may rest on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::worker {

struct ReplayRequest {
  std::string library;
  int calls = 3;
  bool alone = false;  // no row: for profilers that run each kernel many times
};

struct ReplayReport {
  int calls = 0;
  uint64_t mark_bytes = 0;  // of the copy on the device that comes before a call alone
  uint64_t row_bytes = 0;   // of the two around the row of calls
  double row_us = 0;        // of a call of the row, by the host's clock; 0 without one
};

// Two calls that nobody looks at; then, between begin and end of what a profiler sees, `calls` calls each behind a copy
// that empties the L2 cache and waited for, and as many in a row that is waited for once. kProgramInvalid where the
// program does not run.
Result<ReplayReport> replay(const ReplayRequest& request);

}  // namespace stitch::worker
