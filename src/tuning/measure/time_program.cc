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

Result<ProgramTimes> time_program(const ir::Graph& graph, const evaluate::RunnerOptions& options) {
  const std::vector<HostTensor> parameters = samples(graph, {TensorRole::kParameter, TensorRole::kConstant});
  const std::vector<HostTensor> inputs = samples(graph, {TensorRole::kInput});
  const std::vector<HostTensor> states = samples(graph, {TensorRole::kState});
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  ProgramTimes times;
  for (int call = 0; call < 2; ++call) {  // the first loads code
    STITCH_ASSIGN(const evaluate::CandidateOutcome prepared, runner->prepare(parameters));
    STITCH_TRY(expect_ok(prepared.ending, prepared.sentence));
    times.prepare_us = prepared.elapsed_us;
  }
  evaluate::CandidateCall call;
  call.inputs = inputs;
  call.states = states;
  STITCH_ASSIGN(const evaluate::CandidateOutcome ran, runner->run(call));
  STITCH_TRY(expect_ok(ran.ending, ran.sentence));
  evaluate::TimingOptions timing{.block_us = 10000, .blocks = 11};
  STITCH_ASSIGN(const evaluate::TimingOutcome plain, runner->time_blocks(call, timing));
  STITCH_TRY(expect_ok(plain.ending, plain.sentence));
  times.plain = plain.timing;
  timing.graph = true;
  STITCH_ASSIGN(const evaluate::TimingOutcome replayed, runner->time_blocks(call, timing));
  if (replayed.ending == evaluate::Ending::kOk) {
    times.graph = replayed.timing;
  }
  return times;
}

}  // namespace stitch::tuning
