// SPDX-License-Identifier: Apache-2.0
// prepare(), run() and timed blocks of a loaded program: fills and poisons memory before, looks after it afterwards.
#pragma once

#include <string>
#include <vector>

#include "evaluate/runner/candidate_session.h"
#include "evaluate/runner/timing.h"
#include "wire/messages/call_arguments.h"

namespace stitch::evaluate {

class ProgramCalls {
 public:
  explicit ProgramCalls(CandidateSession& session) : session_(session) {}

  // Failures that are the candidate's are in session.take_fault().
  Result<CandidateOutcome> prepare(std::vector<HostTensor> parameters);
  Result<CandidateOutcome> run(const CandidateCall& call);
  Result<TimingOutcome> time_blocks(const CandidateCall& call, const TimingOptions& options);

 private:
  // One set of memory for a call.
  struct CallMemory {
    MemoryGroup inputs;   // inputs, then states in
    MemoryGroup results;  // outputs, then states out
    // Of this call: a run-time batch makes them others than the declared ones.
    std::vector<TensorType> input_types;
    std::vector<TensorType> output_types;
    std::vector<TensorType> state_types;
    // For each old state, the new one that takes its place: -1 for none, or where they lie apart.
    std::vector<int> replaced_by;
  };
  // Memory that a call may read and must not change, and what each region is called.
  struct Constants {
    std::vector<wire::Region> regions;
    std::vector<std::string> names;
  };

  Result<void> ensure_prepared();
  Result<double> prepare_now();  // microseconds of the program's own prepare()
  Result<void> check_types(const char* what, const std::vector<TensorType>& given,
                           const std::vector<wire::TensorDescription>& described);
  Result<void> adopt_results(const CandidateCall& call, CallMemory& memory);
  std::vector<int> new_states_of_old() const;
  wire::Region old_state(const CallMemory& memory, size_t index) const;
  Result<void> fill_call(const CandidateCall& call, CallMemory& memory, uint64_t alignment);
  Result<wire::CallArguments> bind_call(const CandidateCall& call, const CallMemory& memory);
  Result<void> place_workspace(const CallMemory& memory);
  Result<double> run_timed(const wire::CallArguments& arguments, uint64_t schedule_seed);
  Result<void> bind_block(const CandidateCall& call, const TimingOptions& options);
  Result<double> block_us(int count, bool with_calls);
  Constants constants_of(const CallMemory* memory) const;
  Result<void> poison_results(CallMemory& memory);
  Result<void> check_settled();
  Result<void> check_unchanged(const Constants& constants, const std::vector<int64_t>& before);

  CandidateSession& session_;
  std::vector<HostTensor> parameters_;
  bool is_prepared_ = false;
  MemoryGroup parameter_memory_;
  MemoryGroup prepared_memory_;
  MemoryGroup workspace_;
  std::vector<CallMemory> sets_{1};
  // The last call's results: where they lie, what they were when it had ended, and copies of its outputs.
  std::vector<wire::Region> settled_;
  std::vector<int64_t> settled_digests_;
  std::vector<HostTensor> last_outputs_;
  bool was_awaited_ = false;
};

}  // namespace stitch::evaluate
