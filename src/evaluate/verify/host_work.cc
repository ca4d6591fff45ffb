// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/host_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <random>
#include <span>

#include "base/seed/seed.h"
#include "evaluate/verify/call_contents.h"
#include "evaluate/verify/subject_run.h"
#include "evaluate/verify/who_worked.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr std::chrono::seconds kMaxSearch{5};

RunSettings whole_call(const HostWorkRequest& request) {
  return {.trial = request.keeps_apart ? CallTrial::kApart : CallTrial::kNone};
}

// Of the whole call that comes before those without kernels: it is judged like any other. Small outputs have the errors
// of all draws that are known beside their own.
std::optional<Finding> refusal_of(const std::vector<HostTensor>& got, const verify::OracleDraw& draw,
                                  const HostWorkRequest& request) {
  verify::RegimeJudge judge(request.math, verify::Asked::kRefusal);
  for (const verify::OracleDraw& known : request.draws) {
    judge.know(known.outputs);
  }
  auto refused = judge.add_draw("the call before those without kernels", draw.outputs, got);
  refused = refused ? refused : judge.finish();
  if (!refused) {
    return std::nullopt;
  }
  return Finding{Stage::kCalls, VerdictKind::kWrong,
                 fmt::format("{} ({}, regime as_given)", refused->message, refused->draw)};
}

// Whoever computes on the host in some of the calls alone is not to know how many there are without kernels. They cost
// little more than their copies.
struct TrialRange {
  double max_seconds;  // of a call
  double least;
  double most;
};
constexpr TrialRange kTrialRanges[] = {{0.012, 96, 240}, {0.03, 48, 120}, {0.1, 16, 48}, {0.6, 4, 10}, {1e30, 2, 5}};
constexpr uint64_t kMaxInARow = 16;  // on the same contents, for whoever counts since prepare(); mostly it is one
constexpr double kSingleShare = 0.75;
constexpr double kSingleShareAnew = 0.9;  // draws hand parameters over with every call
constexpr int kMaxFailed = 4;             // a process may have to be started after each
constexpr double kShareBesides = 0.5;     // of these calls, where others came all the time before

// Few flags, or true ones alone, are met by random bytes; other elements are not, but for one or two small ones.
constexpr int64_t kMaxFlagsByChance = 8192;
constexpr int64_t kMaxBytesByChance = 4;
constexpr int kTriesByChance = 4096;

std::vector<HostTensor> random_outputs(const verify::OracleDraw& draw, std::mt19937_64& random) {
  std::vector<HostTensor> outputs;
  for (const verify::OutputReference& output : draw.outputs) {
    std::vector<std::byte> bytes(static_cast<size_t>(output.type.bytes()));
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
    outputs.push_back(HostTensor::from_bytes({output.name, TensorRole::kOutput, output.type}, std::move(bytes)));
  }
  return outputs;
}

bool may_be_right_by_chance(const verify::OracleDraw& draw, MathMode math, std::mt19937_64& random) {
  int64_t flags = 0;
  int64_t bytes = 0;
  for (const verify::OutputReference& output : draw.outputs) {
    (output.type.dtype == DataType::kBool ? flags : bytes) += output.type.bytes();
  }
  const bool is_possible = flags <= kMaxFlagsByChance && bytes <= kMaxBytesByChance;
  for (int i = 0; is_possible && i < kTriesByChance; ++i) {
    if (fits(random_outputs(draw, random), draw, math)) {
      return true;
    }
  }
  return false;
}

class TrialsWithoutKernels {
 public:
  TrialsWithoutKernels(const HostWorkRequest& request, Candidate& candidate)
      : request_(request), candidate_(candidate), random_(derived_seed(request.seed, "calls without kernels", 0)) {}

  // Whether an answer was right without kernels.
  Result<bool> after_all_calls() {
    // Whatever a program keeps from its last whole call is then another draw's answer.
    STITCH_ASSIGN(const RunResult last, run_draw(candidate_, request_.draws.front(), whole_call(request_)));
    if (const auto* finding = std::get_if<Finding>(&last)) {
      finding_ = at_stage(Stage::kCalls, *finding);
      return false;
    }
    const auto& got = std::get<std::vector<HostTensor>>(last);
    finding_ = refusal_of(got, request_.draws.front(), request_);
    if (finding_) {
      return false;
    }
    add_unlike(got, std::span(request_.draws).subspan(1), others_);
    add_unlike(got, request_.others, others_);
    if (request_.draw_fresh) {
      STITCH_ASSIGN(drawn_fresh_, request_.draw_fresh());
      add_unlike(got, drawn_fresh_, fresh_);
    }
    return try_contents(kSingleShare, request_.had_companion ? kShareBesides : 1);
  }

  // The same from the first call of a process on.
  Result<bool> started_anew() {
    STITCH_ASSIGN(const CandidateOutcome ended, candidate_.destroy());
    finding_ = finding_of(ended.ending, ended.message, "destroy", Stage::kCalls);
    if (finding_) {
      return false;
    }
    failed_ = 0;
    return try_contents(kSingleShareAnew, request_.had_companion ? kShareBesides : 1);
  }

  std::optional<Finding> finding() const { return finding_; }  // of a call with kernels, or of an end

 private:
  using Contents = std::vector<const verify::OracleDraw*>;

  void add_unlike(const std::vector<HostTensor>& answer, std::span<const verify::OracleDraw> draws, Contents& to) {
    for (const verify::OracleDraw& draw : draws) {
      if (!fits(answer, draw, request_.math)) {
        to.push_back(&draw);
      }
    }
  }

  // Mostly one that no call has had.
  const verify::OracleDraw& next() {
    const bool is_fresh = !fresh_.empty() && (others_.empty() || random_() % 4 != 0);
    return is_fresh ? *fresh_[next_fresh_++ % fresh_.size()] : *others_[random_() % others_.size()];
  }

  Result<bool> try_contents(double single_share, double share_of_all) {
    // Where all answers are alike, nothing follows from one.
    const int all = others_.empty() && fresh_.empty() ? 0 : std::max(2, static_cast<int>(share_of_all * length()));
    for (int left = all; left > 0;) {
      const verify::OracleDraw& draw = next();
      const bool is_single = left < all && share() < single_share;
      const int calls = is_single ? 1 : std::min(left, static_cast<int>(kMaxInARow / 2 + random_() % kMaxInARow));
      STITCH_ASSIGN(const bool is_right, is_right_in_one_of(calls, draw));
      if (is_right) {
        return true;
      }
      left = failed_ < kMaxFailed ? left - calls : 0;
    }
    return false;
  }

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
      // Who asks the system whether he can read the device's memory is not to know by that.
      const bool is_open = random_() % 2 == 0;
      RunSettings settings{.prepares = call == 0,
                           .trial = is_open ? CallTrial::kWithoutKernelsOpen : CallTrial::kWithoutKernels};
      settings.stream = static_cast<int>(random_() % kCallStreams);
      STITCH_ASSIGN(const Answer answer, answer_in(settings, draw, request_.math, candidate_));
      if (answer == Answer::kRight && !may_be_right_by_chance(draw, request_.math, random_)) {
        return true;
      }
      failed_ += answer == Answer::kFailed ? 1 : 0;
    }
    return false;
  }

  const HostWorkRequest& request_;
  Candidate& candidate_;
  std::mt19937_64 random_;
  Contents others_;
  std::vector<verify::OracleDraw> drawn_fresh_;
  Contents fresh_;
  size_t next_fresh_ = 0;
  int failed_ = 0;
  std::optional<Finding> finding_;
};

// A process of its own, and two whole calls in it. The second one's kernels are those of every call, without what the
// first one sets up; what the program keeps from it is this draw's answer. Nothing where the process did not end well.
Result<std::optional<Finding>> begin_anew(const HostWorkRequest& request, Candidate& candidate) {
  STITCH_ASSIGN(const CandidateOutcome ended, candidate.destroy());
  std::optional<Finding> finding = finding_of(ended.ending, ended.message, "destroy", Stage::kCalls);
  for (int call = 0; call < 2 && !finding; ++call) {
    STITCH_ASSIGN(const RunResult whole, run_draw(candidate, request.draws.front(), whole_call(request)));
    const auto* got = std::get_if<std::vector<HostTensor>>(&whole);
    finding = got != nullptr ? refusal_of(*got, request.draws.front(), request)
                             : at_stage(Stage::kCalls, std::get<Finding>(whole));
  }
  return finding;
}

// Makes three more calls for each kernel that a call lists, the third without that kernel. A program that is right all
// the same does not need the kernel, and `ledger` says so from then on. What the third one leaves is nobody's: a table
// may be there that no kernel has filled. Emulated device only; five seconds at most.
Result<std::optional<Finding>> find_idle_kernels(const HostWorkRequest& request, Candidate& candidate) {
  std::vector<HostTensor> first;
  for (const verify::OutputReference& output : request.draws.front().outputs) {
    first.push_back(output.native);
  }
  if (fits(first, request.draws.back(), request.math)) {
    return std::optional<Finding>();  // what is kept from the call before would be right too
  }
  request.ledger->stop_adding();
  const auto end = std::chrono::steady_clock::now() + kMaxSearch;
  for (size_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
    STITCH_ASSIGN(auto finding, begin_anew(request, candidate));
    if (finding) {
      return finding;
    }
    const auto listed = request.ledger->last();
    if (!listed.has_value() || i >= listed->size()) {
      break;
    }
    const LaunchRecord& kernel = (*listed)[i];
    if (kernel.is_library() || kernel.threads == 0) {
      continue;
    }
    STITCH_ASSIGN(const Answer without_it, answer_in({.trial = CallTrial::kWithoutOne, .left_out = i},
                                                     request.draws.back(), request.math, candidate));
    if (without_it == Answer::kRight) {
      request.ledger->mark_idle(kernel);
    }
  }
  return std::optional<Finding>();
}

}  // namespace

Result<Answer> answer_in(const RunSettings& settings, const verify::OracleDraw& draw, MathMode math,
                         Candidate& candidate) {
  STITCH_ASSIGN(const RunResult result, run_draw(candidate, draw, settings));
  const auto* got = std::get_if<std::vector<HostTensor>>(&result);
  if (got == nullptr) {
    return Answer::kFailed;
  }
  return fits(*got, draw, math) ? Answer::kRight : Answer::kWrong;
}

bool tells_who_worked(const verify::OracleDraw& draw, const std::vector<verify::OracleDraw>& others, MathMode math,
                      std::mt19937_64& random) {
  const bool has_another = std::any_of(others.begin(), others.end(), [&](const verify::OracleDraw& other) {
    return !fits(native_answers(other), draw, math);
  });
  return has_another && !is_uniform(draw) && !may_be_right_by_chance(draw, math, random);
}

Result<std::optional<Finding>> judge_right_answer(const verify::OracleDraw& draw, MathMode math, bool needs_kernels,
                                                  Candidate& candidate) {
  if (needs_kernels) {
    return std::optional<Finding>(
        {Stage::kCalls, VerdictKind::kCheated,
         "the answer is as right when no kernel runs: the host, or PyTorch's copies, gave it"});
  }
  STITCH_ASSIGN(const Answer by_copies, answer_in({.trial = CallTrial::kDeviceCopiesAlone}, draw, math, candidate));
  if (by_copies == Answer::kRight) {
    return std::optional<Finding>();
  }
  return std::optional<Finding>(
      {Stage::kCalls, VerdictKind::kCheated,
       "the answer is as right when no kernel runs: the host computes it and copies it to the "
       "device"});
}

Result<std::optional<Finding>> refuse_host_work(const HostWorkRequest& request, Candidate& candidate) {
  if (request.draws.size() < 2) {
    return std::optional<Finding>();
  }
  TrialsWithoutKernels trials(request, candidate);
  STITCH_ASSIGN(const bool is_right, trials.after_all_calls());
  std::optional<Finding> finding = trials.finding();
  if (is_right) {
    STITCH_ASSIGN(finding, judge_right_answer(request.draws.front(), request.math, request.needs_kernels, candidate));
  }
  if (!finding && request.ledger != nullptr) {
    STITCH_ASSIGN(finding, find_idle_kernels(request, candidate));
  }
  if (is_right || finding || !request.starts_anew) {
    return finding;
  }
  STITCH_ASSIGN(const bool is_right_anew, trials.started_anew());
  return is_right_anew ? judge_right_answer(request.draws.front(), request.math, request.needs_kernels, candidate)
                       : Result<std::optional<Finding>>(trials.finding());
}

}  // namespace stitch::evaluate
