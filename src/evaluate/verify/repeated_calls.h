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

// The minimum number of calls; more follow, how many a program cannot predict. Calls that take long are fewer.
inline constexpr int kRepeatedCalls = 40;

struct RepeatedCalls {
  int calls = 0;
  std::optional<Finding> finding;  // of the first call that was not right
};

// Calls it on these draws, in an order by chance, which follows from the seed: with the same contents at the same or at
// another place, with others at the same place, with and without new parameters. Every call is judged like any other.
Result<RepeatedCalls> repeat_calls(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate,
                                   uint64_t seed);

// Makes a few more calls at the very end, and returns a finding where the host did the work. In the first call kernels
// and libraries do nothing. Where its answer is right all the same, only copies within the device work in the next: a
// program that merely moves its input passes that one, unless it `needs_kernels`.
Result<std::optional<Finding>> refuse_host_work(const std::vector<verify::OracleDraw>& draws, MathMode math,
                                                bool needs_kernels, Candidate& candidate);

// Makes two more calls for each kernel that a call lists, the second without that kernel. A program that is right all
// the same does not need the kernel, and `ledger` says so from then on. Emulated device only; five seconds at most.
Result<void> find_idle_kernels(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate,
                               LaunchLedger& ledger);

}  // namespace stitch::evaluate
