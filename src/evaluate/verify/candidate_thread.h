// SPDX-License-Identifier: Apache-2.0
// A built program on a thread of its own, so that two draws run at once: the emulated device runs one call on one core.
#pragma once

#include <future>
#include <memory>

#include "evaluate/verify/who_worked.h"

namespace stitch::evaluate {

class CandidateThread {
 public:
  // `asked_in`: see question_of(). The candidate is started at the first run, on the thread that it belongs to.
  // `start_candidate` outlives this.
  CandidateThread(const StartCandidate& start_candidate, CandidateBinary binary, std::optional<MathMode> asked_in);
  ~CandidateThread();  // waits for the run under way

  // One at a time.
  std::future<Result<RunResult>> run(verify::OracleDraw draw, RunSettings settings);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stitch::evaluate
