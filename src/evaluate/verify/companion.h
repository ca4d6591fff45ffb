// SPDX-License-Identifier: Apache-2.0
// A process beside the program's own in which no kernel ever runs. It is called all through a verdict, between the
// calls that are compared, so that no time and no count is left at which nobody asks who does the work.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/draw_queue.h"
#include "evaluate/verify/passing_lives.h"
#include "evaluate/verify/subject_run.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

// Belongs to the thread that made it, and starts its process at the first call. `start_candidate` outlives it.
class Companion {
 public:
  Companion(BesideRequest request, const StartCandidate& start_candidate);

  // None, one or several calls, so that its counts are now behind and now ahead of the program's own. `known`: draws
  // as given with their answers, two and more. Other processes come and go meanwhile (PassingLives).
  Result<std::optional<Finding>> call(const CallBeside& beside, const std::vector<verify::OracleDraw>& known);
  // Likewise beside a draw: each of these calls comes after prepare(), as draws do.
  Result<std::optional<Finding>> call(const QueuedDraw& queued, const RunSettings& settings, double call_seconds,
                                      const std::vector<verify::OracleDraw>& known);
  int calls() const { return calls_; }

 private:
  Result<std::optional<Finding>> call_once(const CallBeside& beside, bool prepares,
                                           const std::vector<verify::OracleDraw>& known);
  double share() { return std::generate_canonical<double, 32>(random_); }

  BesideRequest request_;
  const StartCandidate& start_candidate_;
  std::unique_ptr<Candidate> candidate_;
  PassingLives lives_;
  std::mt19937_64 random_;
  int prepared_ = -1;
  int calls_ = 0;
  int failed_ = 0;
  bool has_ended_ = false;
};

}  // namespace stitch::evaluate
