// SPDX-License-Identifier: Apache-2.0
#include "evaluate/runner/program_runner.h"

#include "evaluate/calls/program_calls.h"
#include "evaluate/timed_calls/timed_calls.h"

namespace stitch::evaluate {
namespace {

// A candidate's fault is an outcome; any other failure is the world's. A worker that somebody killed, the machine's
// memory killer for one, looks like a candidate that killed itself: it is given another worker, once, for the same
// call.
template <typename Outcome, typename Call>
Result<Outcome> settle(const Call& call, CandidateSession& session, bool& may_try_again) {
  Result<Outcome> result = call();
  if (result.has_value()) {
    return result;
  }
  if (std::optional<WorkerFault> fault = session.take_fault()) {
    if (fault->was_killed && may_try_again) {
      may_try_again = false;
      return settle<Outcome>(call, session, may_try_again);
    }
    Outcome outcome;
    outcome.ending = fault->ending;
    outcome.message = fault->message + (fault->was_killed ? ", and so was the process before it" : "");
    return outcome;
  }
  return result;
}

}  // namespace

class ProgramRunner::State {
 public:
  explicit State(CandidateSession started) : session(std::move(started)), calls(session), timed(calls) {}
  CandidateSession session;
  ProgramCalls calls;
  TimedCalls timed;
  bool may_try_again = true;
};

ProgramRunner::ProgramRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProgramRunner::~ProgramRunner() = default;

Result<std::unique_ptr<ProgramRunner>> ProgramRunner::start(const RunnerOptions& options) {
  const WorkerLimits limits{options.timeout_ms, options.memory_bytes, options.library_folders,   {},
                            options.budget,     options.cage,         options.binary.is_unwanted};
  STITCH_ASSIGN(CandidateSession session, CandidateSession::start(options.binary, limits));
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
  return settle<CandidateOutcome>(load_now, state_->session, state_->may_try_again);
}

Result<CandidateOutcome> ProgramRunner::prepare(std::span<const HostTensor> parameters) {
  const auto prepare_now = [&] { return state_->calls.prepare({parameters.begin(), parameters.end()}); };
  return settle<CandidateOutcome>(prepare_now, state_->session, state_->may_try_again);
}

Result<CandidateOutcome> ProgramRunner::run(const CandidateCall& call) {
  const auto run_now = [&] { return state_->calls.run(call); };
  return settle<CandidateOutcome>(run_now, state_->session, state_->may_try_again);
}

// A process that ends there would have ended in no call: nobody tries again, and the next call has another.
Result<CandidateOutcome> ProgramRunner::again(const ContentsAgain& contents) {
  bool never_again = false;
  STITCH_ASSIGN(CandidateOutcome outcome,
                settle<CandidateOutcome>([&] { return state_->calls.again(contents); }, state_->session, never_again));
  return outcome.ending == Ending::kOk || outcome.ending == Ending::kTampered ? outcome : CandidateOutcome{};
}

Result<CandidateOutcome> ProgramRunner::rest() {
  return settle<CandidateOutcome>([&] { return state_->calls.rest(); }, state_->session, state_->may_try_again);
}

std::optional<double> ProgramRunner::processor_seconds() const { return state_->session.processor_seconds(); }

Result<CandidateOutcome> ProgramRunner::destroy() {
  const auto destroy_now = [&]() -> Result<CandidateOutcome> {
    STITCH_TRY(state_->session.unload());
    return CandidateOutcome{};
  };
  bool never_again = false;  // a new worker has nothing to give back
  return settle<CandidateOutcome>(destroy_now, state_->session, never_again);
}

Result<TimingOutcome> ProgramRunner::time_blocks(const TimedSubject& subject, const TimingOptions& options) {
  const auto time_now = [&] { return state_->timed.time_blocks(subject, options); };
  return settle<TimingOutcome>(time_now, state_->session, state_->may_try_again);
}

const std::string& ProgramRunner::device_name() const { return state_->session.keeper().facts().name; }

uint64_t ProgramRunner::l2_bytes() const { return state_->session.keeper().facts().l2_bytes; }

Result<BlockOutcome> ProgramRunner::open_timing(const TimedSubject& subject, const TimingOptions& options) {
  const auto open_now = [&]() -> Result<BlockOutcome> {
    STITCH_TRY(state_->timed.open(subject, options));
    BlockOutcome opened;
    opened.is_mixed = state_->timed.is_mixed();
    return opened;
  };
  return settle<BlockOutcome>(open_now, state_->session, state_->may_try_again);
}

Result<BlockOutcome> ProgramRunner::time_block() {
  bool never_again = false;  // a new worker has no ring
  return settle<BlockOutcome>([&] { return state_->timed.time_block(); }, state_->session, never_again);
}

Result<BlockOutcome> ProgramRunner::close_timing() {
  const auto close_now = [&]() -> Result<BlockOutcome> {
    STITCH_TRY(state_->timed.close());
    return BlockOutcome{};
  };
  bool never_again = false;
  return settle<BlockOutcome>(close_now, state_->session, never_again);
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
