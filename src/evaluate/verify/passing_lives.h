// SPDX-License-Identifier: Apache-2.0
// Processes of a program that come and go beside its own: each has whole calls for a while, as many as is drawn, and
// then ends with calls in which no kernel runs. Whoever has seen his kernels run does not know whether he is one of
// them.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "artifact/report/finding.h"
#include "artifact/task/math_mode.h"
#include "evaluate/candidate.h"
#include "evaluate/verify/subject_run.h"
#include "verify/oracle/oracle.h"

namespace stitch::evaluate {

struct BesideRequest {
  CandidateBinary binary;  // `launches` is told of a call here only where its answer is refused
  MathMode math = MathMode::kFp32;
  bool needs_kernels = false;
  uint64_t seed = 0;
};

// A whole call that was right, and is called likewise here.
struct CallBeside {
  const verify::OracleDraw& draw;
  const RunSettings& settings;
  int parameters = -1;      // whose the draw's are; -1: they come with each call
  double mean = 1;          // calls that it is followed by here, on average
  int left = 0;             // about as many whole calls are still to come
  double call_seconds = 0;  // what one takes
};

// Belongs to the thread that made it. `start_candidate` outlives it.
class PassingLives {
 public:
  PassingLives(const BesideRequest& request, const StartCandidate& start_candidate);

  // A call like this one, or none; the first or the last one of a process, as it comes. `known`: draws as given with
  // their answers, two and more.
  Result<std::optional<Finding>> call(const CallBeside& beside, const std::vector<verify::OracleDraw>& known);
  int begun() const { return begun_; }

 private:
  Result<std::optional<Finding>> call_whole(const CallBeside& beside, const std::vector<verify::OracleDraw>& known);
  Result<std::optional<Finding>> end(const std::vector<verify::OracleDraw>& known);
  void tell_launches();
  bool may_begin(const CallBeside& beside);
  double share() { return std::generate_canonical<double, 32>(random_); }

  const BesideRequest& request_;
  const StartCandidate& start_candidate_;
  std::unique_ptr<Candidate> candidate_;
  std::shared_ptr<LaunchLedger> launches_ = std::make_shared<LaunchLedger>();  // of these processes
  std::mt19937_64 random_;
  std::vector<HostTensor> last_;  // what its last whole call answered
  RunSettings settings_;
  int prepared_ = -1;
  int left_ = 0;  // whole calls, of the process that is there
  int begun_ = 0;
  bool asks_no_more_ = false;  // it merely moves its input, or does not return without kernels
};

}  // namespace stitch::evaluate
