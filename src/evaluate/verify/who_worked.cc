// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/who_worked.h"

#include <algorithm>
#include <random>
#include <utility>

#include "evaluate/verify/call_clock.h"
#include "evaluate/verify/handed_answers.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

constexpr uint64_t kMaxCheckedCalls = 8;
constexpr uint64_t kMinTold = 128;          // bytes: whoever is told a few numbers, a flag or a count knows no answer
constexpr int kMaxSameTries = 4;            // of commands done once more on the contents that they had
constexpr double kMaxCheckedSeconds = 0.3;  // after which no other is made

// Copies and waits compute nothing; what other functions of libraries do is not known here.
bool may_have_computed(const LaunchRecord& record) {
  return record.is_work() || (record.is_library() && !record.name.starts_with("cuda"));
}

bool is_without_work(const WorkQuestion& question) {
  const auto listed = question.launches == nullptr ? std::nullopt : question.launches->last();
  return listed.has_value() && std::none_of(listed->begin(), listed->end(), may_have_computed);
}

// What the device gives once more on these contents. Nothing where it cannot be asked.
Result<RunResult> run_again(Candidate& candidate, const ContentsAgain& contents) {
  STITCH_ASSIGN(CandidateOutcome outcome, candidate.again(contents));
  if (auto finding = finding_of(outcome.ending, outcome.message, "run", Stage::kDraws)) {
    return RunResult(std::move(*finding));
  }
  std::vector<HostTensor> results = std::move(outcome.outputs);
  results.insert(results.end(), outcome.states.begin(), outcome.states.end());
  return RunResult(std::move(results));
}

Result<RunResult> run_altered(Candidate& candidate, const verify::OracleDraw& draw) {
  const std::optional<AlteredContents> contents = altered_contents(draw);
  return contents.has_value() ? run_again(candidate, {contents->inputs, contents->states, contents->parameters})
                              : RunResult(std::vector<HostTensor>());
}

// A finding where what a ModelNew's call did gives another answer on the contents that it had: its host wrote over what
// kernels and copies left. Memory of its own may hold what the call left, as pinned memory does that the host fills, or
// what was there before it, as sums do to which kernels add; and kernels that add in no order may be right the next
// time.
Result<std::optional<Finding>> ask_of_same(Candidate& candidate, const verify::OracleDraw& draw, MathMode math) {
  for (int i = 0; i < kMaxSameTries; ++i) {
    STITCH_ASSIGN(RunResult same, run_again(candidate, {draw.inputs, draw.states, draw.parameters, i % 2 == 1}));
    if (auto* finding = std::get_if<Finding>(&same)) {
      return std::optional<Finding>(std::move(*finding));
    }
    const auto& results = std::get<std::vector<HostTensor>>(same);
    if (results.empty() || fits(results, draw, math)) {
      return std::optional<Finding>();
    }
  }
  return std::optional<Finding>(
      Finding{Stage::kDraws, VerdictKind::kCheated,
              "the host writes the answer over what kernels and copies left: the same commands on the same contents do "
              "not give it once more"});
}

// What ends the same call where host code cannot touch the device's memory, if that does; else what was `found`. Chance
// decides which of the two questions a call is asked first, and a host that works on that memory is told one thing.
Result<std::optional<Finding>> told_by_trial(Candidate& candidate, const verify::OracleDraw& draw, RunSettings settings,
                                             std::optional<Finding> found) {
  settings.prepares = false;
  settings.trial = CallTrial::kApart;
  STITCH_ASSIGN(RunResult result, run_draw(candidate, draw, settings));
  auto* ended = std::get_if<Finding>(&result);
  return ended != nullptr && ended->kind != VerdictKind::kTimedOut ? std::optional<Finding>(std::move(*ended)) : found;
}

// Of a ModelNew, whose host reads what PyTorch or a kernel has left for it and is seen by nobody: every call that is
// right.
Result<std::optional<Finding>> ask_module(Candidate& candidate, const verify::OracleDraw& draw,
                                          const RunSettings& settings, const std::vector<HostTensor>& got,
                                          const WorkQuestion& question) {
  if (!fits(got, draw, question.math)) {
    return std::optional<Finding>();
  }
  STITCH_ASSIGN(RunResult altered, run_altered(candidate, draw));
  if (auto* finding = std::get_if<Finding>(&altered)) {
    return std::optional<Finding>(std::move(*finding));
  }
  auto found = question.of_module->add(draw, settings.prepares, got, std::get<std::vector<HostTensor>>(altered));
  if (!found.has_value()) {
    STITCH_ASSIGN(found, ask_of_same(candidate, draw, question.math));
  }
  const bool is_by_host = found.has_value() && found->kind == VerdictKind::kCheated;
  return is_by_host ? told_by_trial(candidate, draw, settings, std::move(found)) : found;
}

}  // namespace

WorkQuestion question_of(CandidateBinary& binary, std::optional<MathMode> math) {
  if (!math.has_value()) {
    return {};
  }
  if (binary.python.has_value()) {
    const bool has_kernels = binary.python->extensions.has_value() && !binary.python->extensions->empty();
    const bool is_asked = has_kernels && binary.device == DeviceKind::kEmulated;
    return {nullptr, *math, nullptr, is_asked ? std::make_shared<ModuleAnswers>() : nullptr};
  }
  if (binary.launches == nullptr) {
    binary.launches = std::make_shared<LaunchLedger>();
  }
  return {binary.launches, *math, std::make_shared<SaidAnswers>()};
}

bool fits(const std::vector<HostTensor>& got, const verify::OracleDraw& draw, MathMode math) {
  verify::RegimeJudge judge(math, verify::Asked::kWhether);
  return !judge.add_draw("", draw.outputs, got) && !judge.finish();
}

bool is_uniform(const verify::OracleDraw& draw) {
  return std::all_of(draw.outputs.begin(), draw.outputs.end(), [](const verify::OutputReference& output) {
    const auto bytes = output.native.bytes();
    const auto width = static_cast<size_t>(element_bytes(output.native.spec().type.dtype));
    return bytes.size() <= width || std::equal(bytes.begin() + static_cast<int64_t>(width), bytes.end(), bytes.begin());
  });
}

Result<RunResult> run_and_ask(Candidate& candidate, const verify::OracleDraw& draw, const RunSettings& settings,
                              const WorkQuestion& question) {
  HostWords words;
  STITCH_ASSIGN(RunResult result, run_draw(candidate, draw, settings, &words));
  const auto* got = std::get_if<std::vector<HostTensor>>(&result);
  if (got != nullptr && question.said != nullptr && runs_wholly(settings.trial) && !draw.stays()) {
    STITCH_ASSIGN(const RunResult again,
                  words.told < kMinTold ? RunResult(std::vector<HostTensor>()) : run_altered(candidate, draw));
    if (const auto* finding = std::get_if<Finding>(&again)) {
      return RunResult(*finding);
    }
    if (auto finding = question.said->add(draw, words, *got, std::get<std::vector<HostTensor>>(again))) {
      return RunResult(std::move(*finding));
    }
  }
  if (got != nullptr && question.of_module != nullptr && runs_wholly(settings.trial) && !draw.stays()) {
    STITCH_ASSIGN(auto finding, ask_module(candidate, draw, settings, *got, question));
    if (finding.has_value()) {
      return RunResult(std::move(*finding));
    }
  }
  if (got == nullptr || !runs_wholly(settings.trial) || draw.stays() || !is_without_work(question) ||
      is_uniform(draw) || !fits(*got, draw, question.math)) {
    return result;
  }
  RunSettings by_copies = settings;
  by_copies.prepares = false;
  by_copies.trial = CallTrial::kDeviceCopiesAlone;
  STITCH_ASSIGN(const RunResult again, run_draw(candidate, draw, by_copies));
  const auto* moved = std::get_if<std::vector<HostTensor>>(&again);
  if (moved != nullptr && fits(*moved, draw, question.math)) {
    return result;
  }
  return RunResult(
      Finding{Stage::kDraws, VerdictKind::kCheated,
              "the answer is as right when no kernel runs: none ran in this call, and the host computes it "
              "and copies it to the device"});
}

Result<RunResult> run_checked(Candidate& candidate, const verify::OracleDraw& draw, uint64_t rng_seed,
                              bool may_repeat) {
  std::mt19937_64 random(rng_seed);
  const CallClock clock(candidate);
  RunSettings settings{.rng_seed = rng_seed};
  for (auto left = may_repeat ? random() % kMaxCheckedCalls : 0;; --left) {
    STITCH_ASSIGN(RunResult result, run_draw(candidate, draw, settings));
    if (std::holds_alternative<Finding>(result) || left == 0 || clock.seconds() > kMaxCheckedSeconds) {
      return result;
    }
    settings.prepares = random() % 2 == 0;
    settings.stream = static_cast<int>(random() % kCallStreams);
  }
}

}  // namespace stitch::evaluate
