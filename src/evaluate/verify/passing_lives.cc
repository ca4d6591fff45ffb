// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/passing_lives.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/seed/seed.h"
#include "evaluate/verify/call_contents.h"
#include "evaluate/verify/host_work.h"
#include "evaluate/verify/who_worked.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

// How many there are at most, and how many whole calls each has at most, by what a call takes.
struct LifeRange {
  double max_seconds;
  int most;
  int most_of_dear;  // a ModelNew's brings PyTorch along
  double most_calls;
};
constexpr LifeRange kLifeRanges[] = {{0.012, 4, 1, 24}, {0.1, 2, 1, 8}, {0.6, 1, 0, 3}, {1e30, 0, 0, 0}};

const LifeRange& range_of(double call_seconds) {
  const LifeRange* range = kLifeRanges;
  while (call_seconds > range->max_seconds) {
    ++range;
  }
  return *range;
}

}  // namespace

PassingLives::PassingLives(const BesideRequest& request, const StartCandidate& start_candidate)
    : request_(request),
      start_candidate_(start_candidate),
      random_(derived_seed(request.seed, "passing processes", 0)) {}

bool PassingLives::may_begin(const CallBeside& beside) {
  const LifeRange& range = range_of(beside.call_seconds);
  const int most = request_.binary.python.has_value() ? range.most_of_dear : range.most;
  return begun_ < most && share() < static_cast<double>(most - begun_) / (1 + beside.left);
}

Result<std::optional<Finding>> PassingLives::call(const CallBeside& beside,
                                                  const std::vector<verify::OracleDraw>& known) {
  if (asks_no_more_ || known.size() < 2) {
    return std::optional<Finding>();
  }
  if (left_ > 0) {
    return share() < 0.5 ? call_whole(beside, known) : Result<std::optional<Finding>>(std::nullopt);
  }
  if (!may_begin(beside)) {
    return std::optional<Finding>();
  }
  ++begun_;
  left_ = static_cast<int>(std::lround(std::pow(range_of(beside.call_seconds).most_calls, share())));
  prepared_ = -1;
  if (candidate_ == nullptr) {
    CandidateBinary binary = request_.binary;
    binary.launches = binary.launches == nullptr ? nullptr : launches_;
    STITCH_ASSIGN(candidate_, start_candidate_(binary));
  }
  return call_whole(beside, known);
}

Result<std::optional<Finding>> PassingLives::call_whole(const CallBeside& beside,
                                                        const std::vector<verify::OracleDraw>& known) {
  settings_ = beside.settings;
  settings_.prepares = beside.settings.prepares || beside.parameters < 0 || beside.parameters != prepared_;
  prepared_ = beside.parameters;
  STITCH_ASSIGN(RunResult result, run_draw(*candidate_, beside.draw, settings_));
  if (const auto* finding = std::get_if<Finding>(&result)) {
    return std::optional<Finding>(at_stage(Stage::kCalls, *finding));
  }
  last_ = std::move(std::get<std::vector<HostTensor>>(result));
  verify::RegimeJudge judge(request_.math, verify::Asked::kRefusal);
  for (const verify::OracleDraw& draw : known) {
    judge.know(draw.outputs);
  }
  auto refused = judge.add_draw("a call in a process beside", beside.draw.outputs, last_);
  refused = refused ? refused : judge.finish();
  if (refused && is_fair(known, request_.math, beside.draw)) {
    tell_launches();
    return std::optional<Finding>(
        {Stage::kCalls, VerdictKind::kWrong, refused->message + " (" + refused->draw + ", regime as_given)"});
  }
  return --left_ > 0 ? Result<std::optional<Finding>>(std::nullopt) : end(known);
}

// Whoever marks a wrong answer asks what ran in its call: a stored answer runs nothing.
void PassingLives::tell_launches() {
  const auto last = launches_->last();
  if (last.has_value() && request_.binary.launches != nullptr) {
    request_.binary.launches->keep(*last);
  }
}

// What these calls leave is nobody's.
Result<std::optional<Finding>> PassingLives::end(const std::vector<verify::OracleDraw>& known) {
  std::optional<Finding> finding;
  const auto is_elsewhere = [&](const verify::OracleDraw& draw) { return !fits(last_, draw, request_.math); };
  bool goes_on = true;
  while (goes_on && !finding && !asks_no_more_) {
    const verify::OracleDraw& draw = known[random_() % known.size()];
    settings_.prepares = true;
    settings_.trial = random_() % 2 == 0 ? CallTrial::kWithoutKernelsOpen : CallTrial::kWithoutKernels;
    STITCH_ASSIGN(const Answer answer, answer_in(settings_, draw, request_.math, *candidate_));
    // What it keeps of its last whole call may be right too where that had the same contents.
    if (answer == Answer::kRight && is_elsewhere(draw) && tells_who_worked(draw, known, request_.math, random_)) {
      STITCH_ASSIGN(finding, judge_right_answer(draw, request_.math, request_.needs_kernels, *candidate_));
      asks_no_more_ = !finding;
    }
    asks_no_more_ = asks_no_more_ || answer == Answer::kFailed;
    goes_on = random_() % 2 == 0;
  }
  STITCH_ASSIGN(const CandidateOutcome ended, candidate_->destroy());
  return finding ? finding : finding_of(ended.ending, ended.message, "destroy", Stage::kCalls);
}

}  // namespace stitch::evaluate
