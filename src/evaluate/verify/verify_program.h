// SPDX-License-Identifier: Apache-2.0
// Is the built program right? Runs it on drawn inputs and parameters, in all regimes and at hidden shapes, and judges
// every output by the reference's own error. Stops at the first refusal.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/draw_plan.h"
#include "evaluate/verify/verify_report.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// A hidden shape is there for its tails and blocks: one draw as given and one in another regime are enough to run them.
inline constexpr int kDrawsPerRegimeHidden = 1;

// One set of shapes: what the reference is, and what was built for it.
struct VerifySubject {
  std::string shape;  // for sentences: "declared shapes", "hidden shape x[3,17]"
  verify::OracleSource source;
  CandidateBinary binary;
  std::optional<CandidateBinary> checked;  // gets the first draw
  std::vector<std::string> regimes;        // empty: all that the oracle names
  int draws_per_regime = kDrawsPerRegime;
  bool same_binary = false;  // as the first subject's, whose loaded program goes on: only the batch differs
  double draw_seconds = 0;   // that a draw is estimated to take the emulated device; 0: not known
  std::string note = {};     // what the report says of these shapes
};

struct VerifyRequest {
  std::vector<VerifySubject> subjects;  // the declared shapes first, then hidden ones
  MathMode math = MathMode::kFp32;
  uint64_t seed = 0;
  bool repeats_calls = false;  // of the declared shapes, when all draws were right
  bool needs_kernels = false;  // and an answer that copies alone can give is none: the reference computes
  bool keeps_draws = false;    // for a timing: a few draws as given, where they are not too large
  std::string no_checked_draw{};  // why no subject has one; an acceptance needs either
  bool two_at_once = false;    // every other draw of a regime runs in a second worker beside the next one
  std::function<void(const std::string&)> progress;  // one short line at a time; may be empty
};

// An Error means that the oracle failed or that a worker could not be started.
Result<VerifyReport> verify_program(const VerifyRequest& request, verify::Oracle& oracle,
                                    const StartCandidate& start_candidate);

}  // namespace stitch::evaluate
