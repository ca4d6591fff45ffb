// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner/time_against.h"

namespace stitch::evaluate {
namespace {

Unexpected baseline_failed(const std::string& message) {
  return failure(ErrorCode::kEnvironment, "the baseline cannot be timed: " + message);
}

// One series of fours. False when the candidate ended badly.
Result<bool> take_turns(ProgramRunner& candidate, ProgramRunner& baseline, int fours, AgainstOutcome& outcome) {
  outcome.candidate_us.clear();
  outcome.baseline_us.clear();
  for (const Turn turn : abba_order(fours)) {
    const bool is_candidate = turn == Turn::kCandidate;
    STITCH_ASSIGN(const BlockOutcome block, (is_candidate ? candidate : baseline).time_block());
    if (block.ending != Ending::kOk && !is_candidate) {
      return baseline_failed(block.message);
    }
    if (block.ending != Ending::kOk) {
      outcome.ending = block.ending;
      outcome.message = block.message;
      return false;
    }
    // No time is a time of nothing, which the comparison refuses.
    (is_candidate ? outcome.candidate_us : outcome.baseline_us).push_back(block.per_call_us);
  }
  return true;
}

Result<void> close(ProgramRunner& candidate, ProgramRunner& baseline, AgainstOutcome& outcome) {
  STITCH_ASSIGN(const BlockOutcome ours, candidate.close_timing());
  outcome.ending = ours.ending;
  outcome.message = ours.message;
  if (ours.ending != Ending::kOk) {
    return {};
  }
  STITCH_ASSIGN(const BlockOutcome theirs, baseline.close_timing());
  return theirs.ending == Ending::kOk ? Result<void>() : baseline_failed(theirs.message);
}

}  // namespace

Result<AgainstOutcome> time_against(ProgramRunner& candidate, ProgramRunner& baseline, const TimedSubject& subject,
                                    int fours, const TimingOptions& options, BaselineRuns baseline_runs) {
  AgainstOutcome outcome;
  TimingOptions as_it_is = options;
  as_it_is.graph = options.graph && baseline_runs == BaselineRuns::kAsTheCandidate;
  STITCH_ASSIGN(const BlockOutcome theirs, baseline.open_timing(subject, as_it_is));
  if (theirs.ending != Ending::kOk) {
    return baseline_failed(theirs.message);
  }
  STITCH_ASSIGN(const BlockOutcome ours, candidate.open_timing(subject, options));
  outcome.ending = ours.ending;
  outcome.message = ours.message;
  outcome.is_mixed = ours.is_mixed && theirs.is_mixed;
  bool goes_on = ours.ending == Ending::kOk;
  while (goes_on && outcome.tries < options.tries) {
    ++outcome.tries;
    STITCH_ASSIGN(goes_on, take_turns(candidate, baseline, fours, outcome));
    if (goes_on) {
      outcome.speedup = compare_abba(outcome.candidate_us, outcome.baseline_us);
      goes_on = !outcome.speedup.refusal.empty();
    }
  }
  if (outcome.ending == Ending::kOk) {
    STITCH_TRY(close(candidate, baseline, outcome));
  }
  return outcome;
}

}  // namespace stitch::evaluate
