// SPDX-License-Identifier: Apache-2.0
// prepare() and run() of a loaded program: fills and poisons memory before, looks after it afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "evaluate/calls/call_memory.h"
#include "evaluate/calls/constant_memory.h"
#include "evaluate/calls/settled_results.h"
#include "evaluate/processes/candidate_session.h"
#include "wire/messages/call_arguments.h"

namespace stitch::evaluate {

class ProgramCalls {
 public:
  explicit ProgramCalls(CandidateSession& session) : session_(session) {}

  // Failures that are the candidate's are in session.take_fault().
  Result<CandidateOutcome> prepare(std::vector<HostTensor> parameters);
  Result<CandidateOutcome> run(const CandidateCall& call);
  // See Candidate::again().
  Result<CandidateOutcome> again(const ContentsAgain& contents);
  // Gives the memory of the last call's inputs, results and workspace back.
  Result<CandidateOutcome> rest();

  // For callers that make calls in memory of their own.
  CandidateSession& session() { return session_; }
  // Loads and prepares the program where that is not yet done, and checks that nothing still writes the last results.
  Result<void> make_ready();
  Result<void> check_settled() { return settled_.check(session_); }
  // Writes the types of this call's tensors, and which states share memory, into `memory`. Returns the sizes of the
  // results in bytes.
  Result<std::vector<uint64_t>> describe_call(const CandidateCall& call, CallMemory& memory);
  // Makes the workspace as large as the program asks for with inputs of these types, and poisons it.
  Result<void> place_workspace(const CallMemory& memory);
  const MemoryGroup& workspace() const { return workspace_; }
  wire::CallArguments bind_call(const CandidateCall& call, const CallMemory& memory) const;
  // The specs of outputs, then of new states.
  std::vector<TensorSpec> result_specs(const CallMemory& memory) const;
  // The memory that must not change from prepare() on, in any call.
  ConstantMemory prepared_constants() const;

 private:
  Result<double> prepare_now();  // microseconds of the program's own prepare()
  Result<void> check_types(const char* what, const std::vector<TensorType>& given,
                           const std::vector<wire::TensorDescription>& described);
  Result<void> adopt_results(const CandidateCall& call, CallMemory& memory);
  std::vector<int> new_states_of_old() const;
  Result<void> place_call(const CandidateCall& call, CallMemory& memory);
  Result<void> fill_call(const CandidateCall& call, const CallMemory& memory);
  Result<void> poison_call(const CallMemory& memory, CallTrial trial);
  ConstantMemory parameter_constants() const;  // what stays while prepare() runs, too
  ConstantMemory call_constants(const CallMemory& memory) const;
  // Asks the worker. `constants` must stay as they are now, `prepared` as they were when they were remembered. Returns
  // digests of `results`, taken when the worker had answered.
  Result<KeeperClient::Stopped> ask_timed(const std::string& verb, const Json& request, ConstantMemory constants,
                                          const ConstantMemory& prepared, const std::vector<wire::Region>& results);
  Json run_request(const CandidateCall& call) const;
  Result<std::vector<HostTensor>> results_of(const CallMemory& memory, const std::vector<bool>& staying);
  // `digests`: of the results, when the call had ended.
  Result<CandidateOutcome> take_results(const CallMemory& memory, const std::vector<bool>& staying,
                                        std::vector<int64_t> digests);
  // Writes what the host said and was told into `outcome`.
  Result<void> list_launches(const CallMemory& memory, CandidateOutcome& outcome);

  CandidateSession& session_;
  std::vector<HostTensor> parameters_;
  bool is_prepared_ = false;
  MemoryGroup parameter_memory_;
  MemoryGroup prepared_memory_;
  MemoryGroup workspace_;
  CallMemory memory_;
  SettledResults settled_;
  std::vector<HostTensor> last_outputs_;
};

}  // namespace stitch::evaluate
