// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/host_work.h"

#include <chrono>

#include "evaluate/verify/subject_run.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr std::chrono::seconds kMaxSearch{5};

bool fits(const std::vector<HostTensor>& got, const verify::OracleDraw& draw, MathMode math) {
  verify::RegimeJudge judge(math);
  return !judge.add_draw("", draw.outputs, got) && !judge.finish();
}

// Whether it gives the right answer in such a call. How it fails does not matter: nobody calls it so.
Result<bool> is_right_in(CallTrial trial, const verify::OracleDraw& draw, MathMode math, Candidate& candidate,
                         size_t left_out = 0) {
  STITCH_ASSIGN(const RunResult result, run_draw(candidate, draw, {.trial = trial, .left_out = left_out}));
  const auto* got = std::get_if<std::vector<HostTensor>>(&result);
  return got != nullptr && fits(*got, draw, math);
}

}  // namespace

Result<std::optional<Finding>> refuse_host_work(const std::vector<verify::OracleDraw>& draws, MathMode math,
                                                bool needs_kernels, Candidate& candidate) {
  if (draws.size() < 2) {
    return std::optional<Finding>();
  }
  // Whatever a program keeps from its last call is then another draw's answer.
  STITCH_ASSIGN(const RunResult last, run_draw(candidate, draws.front(), {}));
  if (const auto* finding = std::get_if<Finding>(&last)) {
    return std::optional<Finding>(at_stage(Stage::kCalls, *finding));
  }
  if (fits(std::get<std::vector<HostTensor>>(last), draws.back(), math)) {
    return std::optional<Finding>();  // all answers are alike: nothing follows from one
  }
  STITCH_ASSIGN(const bool without_kernels, is_right_in(CallTrial::kWithoutKernels, draws.back(), math, candidate));
  if (!without_kernels) {
    return std::optional<Finding>();
  }
  if (needs_kernels) {
    return std::optional<Finding>(
        {Stage::kCalls, VerdictKind::kCheated,
         "the answer is as right when no kernel runs: the host, or PyTorch's copies, gave it"});
  }
  STITCH_ASSIGN(const bool by_copies, is_right_in(CallTrial::kDeviceCopiesAlone, draws.front(), math, candidate));
  if (by_copies) {
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
    STITCH_ASSIGN(const bool is_idle, is_right_in(CallTrial::kWithoutOne, draws.back(), math, candidate, i));
    if (is_idle) {
      ledger.mark_idle(kernel);
    }
  }
  return {};
}

}  // namespace stitch::evaluate
