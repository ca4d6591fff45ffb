// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/companion.h"

#include <utility>

#include "base/seed/seed.h"
#include "evaluate/verify/host_work.h"

namespace stitch::evaluate {
namespace {

constexpr int kMaxFailedBeside = 2;  // each may take as long as a call may
constexpr int kMaxAtOnce = 16;
constexpr int kLeftOfDraws = 80;      // calls to come, about: how many is drawn once the draws are over
constexpr double kBesideDraws = 0.6;  // for each draw: where two run at once, each has a process of its own

}  // namespace

Companion::Companion(BesideRequest request, const StartCandidate& start_candidate)
    : request_(std::move(request)),
      start_candidate_(start_candidate),
      lives_(request_, start_candidate),
      random_(derived_seed(request_.seed, "calls beside", 0)) {}

Result<std::optional<Finding>> Companion::call(const CallBeside& beside, const std::vector<verify::OracleDraw>& known) {
  const double stops = 1 / (1 + beside.mean);
  bool prepares = beside.settings.prepares;
  for (int i = 0; i < kMaxAtOnce && !has_ended_ && known.size() > 1 && share() >= stops; ++i) {
    STITCH_ASSIGN(auto finding, call_once(beside, prepares || beside.parameters != prepared_, known));
    if (finding) {
      return finding;
    }
    prepares = beside.parameters < 0;
  }
  return lives_.call(beside, known);
}

// Elsewhere than as given many answers are all zeros, whoever gives them.
Result<std::optional<Finding>> Companion::call(const QueuedDraw& queued, const RunSettings& settings,
                                               double call_seconds, const std::vector<verify::OracleDraw>& known) {
  if (known.empty()) {
    return std::optional<Finding>();
  }
  const bool is_own = queued.regime == verify::kAsGiven && !queued.draw.stays();
  const verify::OracleDraw& draw = is_own ? queued.draw : known[static_cast<size_t>(queued.number) % known.size()];
  return call({draw, settings, -1, kBesideDraws, kLeftOfDraws, call_seconds}, known);
}

Result<std::optional<Finding>> Companion::call_once(const CallBeside& beside, bool prepares,
                                                    const std::vector<verify::OracleDraw>& known) {
  if (candidate_ == nullptr) {
    CandidateBinary binary = request_.binary;
    binary.launches = nullptr;  // nothing runs
    STITCH_ASSIGN(candidate_, start_candidate_(binary));
  }
  RunSettings settings = beside.settings;
  settings.prepares = prepares;
  // Who asks the system whether he can read the device's memory is not to know by that.
  settings.trial = random_() % 2 == 0 ? CallTrial::kWithoutKernelsOpen : CallTrial::kWithoutKernels;
  settings.schedule_seed = 0;
  prepared_ = beside.parameters;
  ++calls_;
  STITCH_ASSIGN(const Answer answer, answer_in(settings, beside.draw, request_.math, *candidate_));
  failed_ += answer == Answer::kFailed ? 1 : 0;
  has_ended_ = failed_ >= kMaxFailedBeside;
  if (answer != Answer::kRight || !tells_who_worked(beside.draw, known, request_.math, random_)) {
    return std::optional<Finding>();
  }
  STITCH_ASSIGN(auto finding, judge_right_answer(beside.draw, request_.math, request_.needs_kernels, *candidate_));
  has_ended_ = true;  // without a finding it merely moves its input
  return finding;
}

}  // namespace stitch::evaluate
