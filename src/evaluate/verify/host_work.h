// SPDX-License-Identifier: Apache-2.0
// Whose work an answer is: the kernels', or the host's.
#pragma once

#include <optional>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

struct HostWorkRequest {
  const std::vector<verify::OracleDraw>& draws;
  const std::vector<verify::OracleDraw>& others;  // more contents, with their answers
  MathMode math = MathMode::kFp32;
  bool needs_kernels = false;
  uint64_t seed = 0;
  double call_seconds = 0;  // what a call takes
};

// Makes more calls at the very end, and returns a finding where the host did the work. In a drawn number of them
// kernels and libraries do nothing. Where one's answer is right all the same, only copies within the device work in the
// next: a program that merely moves its input passes that one, unless it `needs_kernels`.
Result<std::optional<Finding>> refuse_host_work(const HostWorkRequest& request, Candidate& candidate);

// Makes two more calls for each kernel that a call lists, the second without that kernel. A program that is right all
// the same does not need the kernel, and `ledger` says so from then on. Emulated device only; five seconds at most.
Result<void> find_idle_kernels(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate,
                               LaunchLedger& ledger);

}  // namespace stitch::evaluate
