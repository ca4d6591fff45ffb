// SPDX-License-Identifier: Apache-2.0
// A program and a baseline, each in its own process, timed in turns.
#pragma once

#include "evaluate/runner/program_runner.h"
#include "evaluate/timing/abba.h"

namespace stitch::evaluate {

struct AgainstOutcome {
  Ending ending = Ending::kOk;  // of the candidate; a baseline that ends badly is an Error
  std::string message;
  std::vector<double> candidate_us;
  std::vector<double> baseline_us;
  Speedup speedup;
  int tries = 0;
  bool is_mixed = false;  // both had contents of their own
};

// `fours` times A B B A; again, at most kMaxTries times, as long as nothing may be said. Both have been prepared with
// the subject's parameters.
// `options.graph` is for the candidate alone, unless both are programs of ours.
enum class BaselineRuns { kAsItIs, kAsTheCandidate };
Result<AgainstOutcome> time_against(ProgramRunner& candidate, ProgramRunner& baseline, const TimedSubject& subject,
                                    int fours, const TimingOptions& options,
                                    BaselineRuns baseline_runs = BaselineRuns::kAsItIs);

}  // namespace stitch::evaluate
