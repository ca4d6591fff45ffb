// SPDX-License-Identifier: Apache-2.0
// Many more calls of a program that was right so far: one that counts its calls, or knows what it was asked before,
// gives itself away.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/call_schedule.h"
#include "evaluate/verify/companion.h"
#include "evaluate/verify/kept_draws.h"
#include "evaluate/verify/who_worked.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// The reference's answer to these inputs and states, with the parameters of that draw as given.
using AskAnswer = std::function<Result<verify::OracleDraw>(const std::vector<HostTensor>& inputs,
                                                           const std::vector<HostTensor>& states, int draw)>;

struct RepeatedCallsRequest {
  const RepeatedDraws& kept;
  std::vector<bool> whole_inputs{};  // as OracleProgram has them
  MathMode math = MathMode::kFp32;
  uint64_t seed = 0;
  double call_seconds = 0;         // what a call of it takes
  Companion* companion = nullptr;  // is called beside this: of the emulated device
  WorkQuestion question{};         // asked of each whole call
  AskAnswer ask{};                 // none: the draws' own contents are all that can be judged
};

struct RepeatedCalls {
  CallCounts counts;
  std::optional<Finding> finding;         // of the first call that was not right
  std::vector<verify::OracleDraw> shown;  // some of the calls on contents that are no draw's, with the answers
};

// Makes the calls of a drawn schedule: on contents of the draws and on others that nobody has seen, at the same or at
// another place, with and without new parameters. Every call that the schedule names is judged like any draw.
Result<RepeatedCalls> repeat_calls(const RepeatedCallsRequest& request, Candidate& candidate);

}  // namespace stitch::evaluate
