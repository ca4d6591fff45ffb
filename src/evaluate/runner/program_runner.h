// SPDX-License-Identifier: Apache-2.0
// A built library as a Candidate: a keeper process owns memory and clock, a worker process runs the program and dies
// when it misbehaves. This process never loads the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/candidate.h"
#include "evaluate/processes/call_budget.h"
#include "evaluate/timed_calls/timing.h"
#include "sandbox/policy/confinement.h"
#include "wire/messages/program_description.h"

namespace stitch::evaluate {

struct RunnerOptions {
  CandidateBinary binary;
  int64_t timeout_ms = 120000;                 // for one request to the program
  uint64_t memory_bytes = uint64_t{16} << 30;  // of the worker, shared buffers included
  std::vector<std::string> library_folders{};  // where it looks for cuBLASLt and cuDNN before the system's folders
  std::shared_ptr<CallBudget> budget{};        // of all requests to all runners that are started with it; or null
  sandbox::CageMode cage = sandbox::CageMode::kCaged;  // of its worker
};

// Belongs to the thread that made it: its processes die with that thread.
class ProgramRunner final : public Candidate {
 public:
  static Result<std::unique_ptr<ProgramRunner>> start(const RunnerOptions& options);
  ~ProgramRunner() override;

  // Loads the program when it is not yet loaded: its describe(), once the outcome is kOk.
  Result<CandidateOutcome> load();
  const std::optional<wire::ProgramDescription>& description() const;

  Result<CandidateOutcome> prepare(std::span<const HostTensor> parameters) override;
  Result<CandidateOutcome> run(const CandidateCall& call) override;
  Result<CandidateOutcome> again(const ContentsAgain& contents) override;
  Result<CandidateOutcome> rest() override;
  std::optional<double> processor_seconds() const override;
  Result<CandidateOutcome> destroy() override;

  // Times calls on the subject's draws, all of the same types, after a prepare() with its parameters. Every timed call
  // is judged: one that is not right ends it as kTampered.
  Result<TimingOutcome> time_blocks(const TimedSubject& subject, const TimingOptions& options);
  // Name and L2 size of the device, as CUDA reports them.
  const std::string& device_name() const;
  uint64_t l2_bytes() const;
  // Block by block, to take turns with another program; its times count once it was closed well.
  Result<BlockOutcome> open_timing(const TimedSubject& subject, const TimingOptions& options);
  Result<BlockOutcome> time_block();
  // Judges what waited for the end. Its outcome has no time.
  Result<BlockOutcome> close_timing();

 private:
  class State;
  explicit ProgramRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Starts runners with these options. `options.binary` is replaced by the binary that is asked for.
StartCandidate program_runner_factory(RunnerOptions options);

}  // namespace stitch::evaluate
