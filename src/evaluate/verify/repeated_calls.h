// SPDX-License-Identifier: Apache-2.0
// Many more calls of a program that was right so far: one that counts its calls, or knows what it was asked before,
// gives itself away.
#pragma once

#include <optional>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// How many calls there are at least; some more follow, how many a program cannot know. Calls that take long are fewer.
inline constexpr int kRepeatedCalls = 40;

struct RepeatedCalls {
  int calls = 0;
  std::optional<Finding> finding;  // of the first call that was not right
};

// Calls it on these draws, in an order by chance: with the same contents at the same or at another place, with others
// at the same place, with and without new parameters. Every call is judged like any other.
Result<RepeatedCalls> repeat_calls(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate);

// A few calls more, at the end of all: one in which kernels and libraries do nothing and, where the answer is right all
// the same, one in which only copies within the device work, as in a program that does no more than move its input
// (which does not help one that `needs_kernels`). What is found of a program whose host did the work.
Result<std::optional<Finding>> refuse_host_work(const std::vector<verify::OracleDraw>& draws, MathMode math,
                                                bool needs_kernels, Candidate& candidate);

// Two calls more for each kernel that a call lists, the second without that kernel: a program that is right all the
// same does not need it, and `ledger` says so from then on. Emulated; five seconds at most.
Result<void> find_idle_kernels(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate,
                               LaunchLedger& ledger);

}  // namespace stitch::evaluate
