// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/time_program.h"

#include "evaluate/runner/time_against.h"
#include "tuning/measure/samples.h"

namespace stitch::tuning {
namespace {

// Whether it goes on.
bool ended_well(evaluate::Ending ending, const std::string& message, ProgramTimes& times) {
  if (ending != evaluate::Ending::kOk) {
    times.ending = ending;
    times.fault = message;
  }
  return ending == evaluate::Ending::kOk;
}

// Compilation of the baseline included.
constexpr int64_t kBaselineTimeoutMs = 600'000;

Result<evaluate::AgainstOutcome> take_turns(evaluate::ProgramRunner& ours, const evaluate::TimedSubject& subject,
                                            evaluate::RunnerOptions options, const evaluate::TimingOptions& timing,
                                            const Baseline& baseline) {
  options.binary = baseline.binary;
  options.timeout_ms = kBaselineTimeoutMs;
  STITCH_ASSIGN(const auto theirs, evaluate::ProgramRunner::start(options));
  STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, theirs->prepare(subject.parameters));
  if (prepared.ending != evaluate::Ending::kOk) {
    return failure(ErrorCode::kEnvironment, prepared.message);
  }
  return evaluate::time_against(ours, *theirs, subject, baseline.fours, timing);
}

void time_baseline(evaluate::ProgramRunner& ours, const evaluate::TimedSubject& subject,
                   const evaluate::RunnerOptions& options, evaluate::TimingOptions timing, const Baseline& baseline,
                   ProgramTimes& times) {
  BaselineTimes& told = times.baseline.emplace();
  told.name = baseline.name;
  told.speedup.refusal = baseline.why_none;
  if (!baseline.why_none.empty()) {
    return;
  }
  timing.graph = times.graph_is_faster();
  const Result<evaluate::AgainstOutcome> against = take_turns(ours, subject, options, timing, baseline);
  if (!against.has_value()) {
    told.speedup.refusal = against.error().message;
    return;
  }
  told.ours_us = against->candidate_us;
  told.theirs_us = against->baseline_us;
  told.speedup = against->speedup;
  told.tries = against->tries;
  told.is_mixed = against->is_mixed;
  ended_well(against->ending, against->message, times);
}

Result<void> time_by_graph(evaluate::ProgramRunner& runner, const evaluate::TimedSubject& subject,
                           evaluate::TimingOptions timing, ProgramTimes& times) {
  timing.graph = true;
  STITCH_ASSIGN(const evaluate::TimingOutcome replayed, runner.time_blocks(subject, timing));
  if (replayed.ending == evaluate::Ending::kOk) {
    times.graph = replayed.timing;
  } else {
    times.without_graph = replayed.message;
  }
  return {};
}

}  // namespace

std::string ProgramTimes::refusal() const {
  for (const std::string* message : {&fault, &shared, &clocks}) {
    if (!message->empty()) {
      return *message;
    }
  }
  return graph_is_faster() ? graph.refusal : plain.refusal;
}

evaluate::TimedSubject sample_subject(const ir::Graph& graph) {
  return {.parameters = samples(graph, {TensorRole::kParameter, TensorRole::kConstant}), .draws = sample_draws(graph)};
}

Result<ProgramTimes> time_program(const evaluate::TimedSubject& subject, const evaluate::RunnerOptions& options,
                                  const evaluate::TimingOptions& timing, const std::optional<Baseline>& baseline) {
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  ProgramTimes times;
  times.device = runner->device_name();
  times.l2_bytes = runner->l2_bytes();
  for (int call = 0; call < 2; ++call) {  // the first loads code
    STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare(subject.parameters));
    if (!ended_well(prepared.ending, prepared.message, times)) {
      return times;
    }
    times.prepare_us = prepared.elapsed_us;
  }
  STITCH_ASSIGN(const evaluate::TimingOutcome plain, runner->time_blocks(subject, timing));
  if (!ended_well(plain.ending, plain.message, times)) {
    return times;
  }
  times.plain = plain.timing;
  if (options.binary.python.has_value()) {
    times.without_graph = "a module in Python is called as it is";
  } else {
    STITCH_TRY(time_by_graph(*runner, subject, timing, times));
  }
  if (baseline.has_value()) {
    time_baseline(*runner, subject, options, timing, *baseline, times);
  }
  return times;
}

}  // namespace stitch::tuning
