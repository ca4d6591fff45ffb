// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner/program_runner.h"

#include "evaluate/runner/program_calls.h"

namespace stitch::evaluate {
namespace {

// A candidate's fault is an outcome; any other failure is the world's.
template <typename Outcome>
Result<Outcome> settle(Result<Outcome> result, CandidateSession& session) {
  if (result.has_value()) {
    return result;
  }
  if (std::optional<WorkerFault> fault = session.take_fault()) {
    Outcome outcome;
    outcome.ending = fault->ending;
    outcome.sentence = std::move(fault->sentence);
    return outcome;
  }
  return result;
}

}  // namespace

class ProgramRunner::State {
 public:
  explicit State(CandidateSession started) : session(std::move(started)), calls(session) {}
  CandidateSession session;
  ProgramCalls calls;
};

ProgramRunner::ProgramRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProgramRunner::~ProgramRunner() = default;

Result<std::unique_ptr<ProgramRunner>> ProgramRunner::start(const RunnerOptions& options) {
  STITCH_ASSIGN(
      CandidateSession session,
      CandidateSession::start(options.binary, {options.timeout_ms, options.memory_bytes, options.library_folders}));
  return std::unique_ptr<ProgramRunner>(new ProgramRunner(std::make_unique<State>(std::move(session))));
}

const std::optional<wire::ProgramDescription>& ProgramRunner::description() const {
  return state_->session.description();
}

Result<CandidateOutcome> ProgramRunner::load() {
  const auto load_now = [&]() -> Result<CandidateOutcome> {
    STITCH_TRY(state_->session.ensure_loaded());
    return CandidateOutcome{};
  };
  return settle(load_now(), state_->session);
}

Result<CandidateOutcome> ProgramRunner::prepare(std::span<const HostTensor> parameters) {
  return settle(state_->calls.prepare({parameters.begin(), parameters.end()}), state_->session);
}

Result<CandidateOutcome> ProgramRunner::run(const CandidateCall& call) {
  return settle(state_->calls.run(call), state_->session);
}

Result<TimingOutcome> ProgramRunner::time_blocks(const CandidateCall& call, const TimingOptions& options) {
  return settle(state_->calls.time_blocks(call, options), state_->session);
}

StartCandidate program_runner_factory(RunnerOptions options) {
  return [options](const CandidateBinary& binary) -> Result<std::unique_ptr<Candidate>> {
    RunnerOptions own = options;  // several threads may start candidates
    own.binary = binary;
    STITCH_ASSIGN(std::unique_ptr<ProgramRunner> runner, ProgramRunner::start(own));
    return std::unique_ptr<Candidate>(std::move(runner));
  };
}

}  // namespace stitch::evaluate
