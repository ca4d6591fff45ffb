// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/time_program.h"

#include "tuning/measure/samples.h"

namespace stitch::tuning {
namespace {

Result<void> expect_ok(evaluate::Ending ending, const std::string& sentence) {
  if (ending == evaluate::Ending::kOk) {
    return {};
  }
  return failure(ErrorCode::kInternal, "the program cannot be timed: " + sentence);
}

}  // namespace

std::string ProgramTimes::refusal() const {
  for (const std::string* sentence : {&fault, &shared, &clocks}) {
    if (!sentence->empty()) {
      return *sentence;
    }
  }
  return graph_is_faster() ? graph.refusal : plain.refusal;
}

evaluate::TimedSubject sample_subject(const ir::Graph& graph) {
  return {samples(graph, {TensorRole::kParameter, TensorRole::kConstant}), sample_draws(graph)};
}

Result<ProgramTimes> time_program(const evaluate::TimedSubject& subject, const evaluate::RunnerOptions& options,
                                  const evaluate::TimingOptions& timing) {
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  ProgramTimes times;
  times.device = runner->device_name();
  times.l2_bytes = runner->l2_bytes();
  for (int call = 0; call < 2; ++call) {  // the first loads code
    STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare(subject.parameters));
    STITCH_TRY(expect_ok(prepared.ending, prepared.sentence));
    times.prepare_us = prepared.elapsed_us;
  }
  STITCH_ASSIGN(const evaluate::TimingOutcome plain, runner->time_blocks(subject.draws, timing));
  if (plain.ending == evaluate::Ending::kTampered) {
    times.fault = plain.sentence;
    return times;
  }
  STITCH_TRY(expect_ok(plain.ending, plain.sentence));
  times.plain = plain.timing;
  evaluate::TimingOptions by_graph = timing;
  by_graph.graph = true;
  STITCH_ASSIGN(const evaluate::TimingOutcome replayed, runner->time_blocks(subject.draws, by_graph));
  if (replayed.ending == evaluate::Ending::kOk) {
    times.graph = replayed.timing;
  }
  return times;
}

}  // namespace stitch::tuning
