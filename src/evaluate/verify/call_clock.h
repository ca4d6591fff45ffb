// SPDX-License-Identifier: Apache-2.0
// What a call costs, whoever else has the machine's processors meanwhile: how often a program is called follows from
// it, and a busy machine must not ask less.
#pragma once

#include <chrono>
#include <optional>

#include "evaluate/candidate.h"

namespace stitch::evaluate {

// Begins to count when it is made. Belongs to one thread.
class CallClock {
 public:
  explicit CallClock(const Candidate& candidate);
  double passed() const;  // seconds since then
  // Of these what counts: those that this thread and the candidate's process had of processors, where that is known and
  // less than what passed; else those that passed.
  double seconds() const;

 private:
  const Candidate& candidate_;
  std::chrono::steady_clock::time_point start_;
  double own_before_;
  std::optional<double> candidate_before_;
};

}  // namespace stitch::evaluate
