// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/host_work.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <random>
#include <span>

#include "base/seed/seed.h"
#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr std::chrono::seconds kMaxSearch{5};

bool fits(const std::vector<HostTensor>& got, const verify::OracleDraw& draw, MathMode math) {
  verify::RegimeJudge judge(math);
  return !judge.add_draw("", draw.outputs, got) && !judge.finish();
}

// What becomes of such a call. How it fails does not matter: nobody calls it so.
enum class Answer { kFailed, kWrong, kRight };

Result<Answer> answer_in(const RunSettings& settings, const verify::OracleDraw& draw, MathMode math,
                         Candidate& candidate) {
  STITCH_ASSIGN(const RunResult result, run_draw(candidate, draw, settings));
  const auto* got = std::get_if<std::vector<HostTensor>>(&result);
  if (got == nullptr) {
    return Answer::kFailed;
  }
  return fits(*got, draw, math) ? Answer::kRight : Answer::kWrong;
}

// Whoever computes on the host in some of the calls alone is not to know how many there are without kernels. They cost
// little more than their copies.
struct TrialRange {
  double max_seconds;  // of a call
  double least;
  double most;
};
constexpr TrialRange kTrialRanges[] = {{0.012, 48, 160}, {0.1, 16, 48}, {0.6, 4, 10}, {1e30, 2, 5}};
constexpr uint64_t kMaxInARow = 16;  // on the same contents, for whoever counts since prepare(); mostly it is one
constexpr double kSingleShare = 0.75;
constexpr int kMaxFailed = 4;  // a process may have to be started after each

class TrialsWithoutKernels {
 public:
  TrialsWithoutKernels(const HostWorkRequest& request, Candidate& candidate)
      : request_(request), candidate_(candidate), random_(derived_seed(request.seed, "calls without kernels", 0)) {}

  // The draw whose answer was right without kernels; none: no call's was.
  Result<const verify::OracleDraw*> run() {
    // Whatever a program keeps from its last whole call is then another draw's answer.
    STITCH_ASSIGN(const RunResult last, run_draw(candidate_, request_.draws.front(), {}));
    if (const auto* finding = std::get_if<Finding>(&last)) {
      finding_ = at_stage(Stage::kCalls, *finding);
      return nullptr;
    }
    for (const std::span<const verify::OracleDraw> some :
         {std::span(request_.draws).subspan(1), std::span(request_.others)}) {
      for (const verify::OracleDraw& draw : some) {
        if (!fits(std::get<std::vector<HostTensor>>(last), draw, request_.math)) {
          others_.push_back(&draw);
        }
      }
    }
    // Where all answers are alike, nothing follows from one.
    const int all = others_.empty() ? 0 : length();
    for (int left = all; left > 0;) {
      const verify::OracleDraw& draw = *others_[random_() % others_.size()];
      const bool is_single = left < all && share() < kSingleShare;
      const int calls = is_single ? 1 : std::min(left, static_cast<int>(kMaxInARow / 2 + random_() % kMaxInARow));
      STITCH_ASSIGN(const bool is_right, is_right_in_one_of(calls, draw));
      if (is_right) {
        return &draw;
      }
      left = failed_ < kMaxFailed ? left - calls : 0;
    }
    return nullptr;
  }

  std::optional<Finding> finding() const { return finding_; }  // of the whole call

 private:
  int length() {
    const auto* range = std::begin(kTrialRanges);
    while (request_.call_seconds > range->max_seconds) {
      ++range;
    }
    return static_cast<int>(range->least * std::pow(range->most / range->least, share()));
  }

  double share() { return std::generate_canonical<double, 32>(random_); }

  Result<bool> is_right_in_one_of(int calls, const verify::OracleDraw& draw) {
    for (int call = 0; call < calls; ++call) {
      RunSettings settings{.prepares = call == 0, .trial = CallTrial::kWithoutKernels};
      settings.stream = static_cast<int>(random_() % kCallStreams);
      STITCH_ASSIGN(const Answer answer, answer_in(settings, draw, request_.math, candidate_));
      if (answer == Answer::kRight) {
        return true;
      }
      failed_ += answer == Answer::kFailed ? 1 : 0;
    }
    return false;
  }

  const HostWorkRequest& request_;
  Candidate& candidate_;
  std::mt19937_64 random_;
  std::vector<const verify::OracleDraw*> others_;
  int failed_ = 0;
  std::optional<Finding> finding_;
};

}  // namespace

Result<std::optional<Finding>> refuse_host_work(const HostWorkRequest& request, Candidate& candidate) {
  if (request.draws.size() < 2) {
    return std::optional<Finding>();
  }
  TrialsWithoutKernels trials(request, candidate);
  STITCH_ASSIGN(const verify::OracleDraw* right, trials.run());
  if (right == nullptr) {
    return trials.finding();
  }
  if (request.needs_kernels) {
    return std::optional<Finding>(
        {Stage::kCalls, VerdictKind::kCheated,
         "the answer is as right when no kernel runs: the host, or PyTorch's copies, gave it"});
  }
  STITCH_ASSIGN(const Answer by_copies,
                answer_in({.trial = CallTrial::kDeviceCopiesAlone}, request.draws.front(), request.math, candidate));
  if (by_copies == Answer::kRight) {
    return std::optional<Finding>();
  }
  return std::optional<Finding>(
      {Stage::kCalls, VerdictKind::kCheated,
       "the answer is as right when no kernel runs: the host computes it and copies it to the "
       "device"});
}

Result<void> find_idle_kernels(const std::vector<verify::OracleDraw>& draws, MathMode math, Candidate& candidate,
                               LaunchLedger& ledger) {
  if (draws.size() < 2) {
    return {};
  }
  const auto end = std::chrono::steady_clock::now() + kMaxSearch;
  for (size_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
    // A whole call comes before each: what the program keeps from it is another draw's, and a process that ended with
    // the trial before lists its kernels anew.
    STITCH_ASSIGN(const RunResult whole, run_draw(candidate, draws.front(), {}));
    const auto* got = std::get_if<std::vector<HostTensor>>(&whole);
    const auto listed = ledger.launches();
    if (got == nullptr || !listed.has_value() || i >= listed->size() || fits(*got, draws.back(), math)) {
      return {};
    }
    const LaunchRecord& kernel = (*listed)[i];
    if (kernel.is_library() || kernel.threads == 0) {
      continue;
    }
    STITCH_ASSIGN(const Answer without_it,
                  answer_in({.trial = CallTrial::kWithoutOne, .left_out = i}, draws.back(), math, candidate));
    if (without_it == Answer::kRight) {
      ledger.mark_idle(kernel);
    }
  }
  return {};
}

}  // namespace stitch::evaluate
