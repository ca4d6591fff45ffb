// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/time_program.h"

#include "tuning/measure/samples.h"

namespace stitch::tuning {
namespace {

// Whether it goes on.
bool ended_well(evaluate::Ending ending, const std::string& sentence, ProgramTimes& times) {
  if (ending != evaluate::Ending::kOk) {
    times.ending = ending;
    times.fault = sentence;
  }
  return ending == evaluate::Ending::kOk;
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
    if (!ended_well(prepared.ending, prepared.sentence, times)) {
      return times;
    }
    times.prepare_us = prepared.elapsed_us;
  }
  STITCH_ASSIGN(const evaluate::TimingOutcome plain, runner->time_blocks(subject.draws, timing));
  if (!ended_well(plain.ending, plain.sentence, times)) {
    return times;
  }
  times.plain = plain.timing;
  evaluate::TimingOptions by_graph = timing;
  by_graph.graph = true;
  STITCH_ASSIGN(const evaluate::TimingOutcome replayed, runner->time_blocks(subject.draws, by_graph));
  if (replayed.ending == evaluate::Ending::kOk) {
    times.graph = replayed.timing;
  } else {
    times.without_graph = replayed.sentence;
  }
  return times;
}

}  // namespace stitch::tuning
