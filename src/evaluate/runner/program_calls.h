// SPDX-License-Identifier: Apache-2.0
// prepare(), run() and timed blocks of a loaded program: fills and poisons memory before, looks after it afterwards.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "evaluate/runner/candidate_session.h"
#include "evaluate/runner/timing.h"
#include "evaluate/timing/reported_time.h"
#include "evaluate/timing/ring.h"
#include "wire/messages/call_arguments.h"

namespace stitch::evaluate {

class ProgramCalls {
 public:
  explicit ProgramCalls(CandidateSession& session) : session_(session) {}

  // Failures that are the candidate's are in session.take_fault().
  Result<CandidateOutcome> prepare(std::vector<HostTensor> parameters);
  Result<CandidateOutcome> run(const CandidateCall& call);
  // Places the ring, hides the draws' contents in memory that the worker does not see, and warms up; then block after
  // block, each time judged; at the end what waited for it is judged; or all of it at once.
  Result<void> open_timing(const TimedSubject& subject, const TimingOptions& options);
  Result<BlockOutcome> time_block();
  bool is_mixed() const { return timed_.mixing.has_value(); }
  Result<void> close_timing();
  Result<TimingOutcome> time_blocks(const TimedSubject& subject, const TimingOptions& options);

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
  struct TimedCall {
    size_t set = 0;
    size_t draw = 0;
    size_t second = 0;              // of a mix: the other draw
    std::vector<uint64_t> seeds{};  // of a mix, one for each input, then state; none: the draw as it is
    bool is_mixed() const { return !seeds.empty(); }
  };
  using BurstCalls = std::vector<TimedCall>;
  // Memory that a call may read and must not change, and what each region is called.
  struct Constants {
    std::vector<wire::Region> regions;
    std::vector<std::string> names;
    void add(const wire::Region& region, std::string name);
    void add_red_zones(const MemoryGroup& group, const char* of);
  };
  // What timed calls turn through.
  struct TimedRing {
    Ring ring;
    BurstPlan plan;
    MemoryGroup inputs;  // of all sets; `sets` holds their parts
    MemoryGroup results;
    std::vector<CallMemory> sets;
    Constants constants;  // from block to block: parameters, prepared memory and all red zones
    std::vector<int64_t> constant_digests;
    struct Draw {
      TimedDraw given;
      std::vector<wire::Region> hidden;      // its inputs, then its states, where the worker does not see them
      std::vector<int64_t> digests;          // of those
      std::set<std::vector<int64_t>> right;  // digests of results that were judged
      std::vector<HostTensor> untimed;       // what an untimed call gave
    };
    std::vector<Draw> draws;
    MemoryGroup hidden;  // the draws' contents
    // Nothing of the rest of this without it.
    std::optional<Mixing> mixing;
    std::vector<wire::Region> scratch;  // hidden: room for the inputs, then states, of one mix
    MemoryGroup kept;                   // hidden: the results of each set's last timed call
    struct ChosenCall {
      TimedCall call;
      std::vector<HostTensor> results;
    };
    std::vector<ChosenCall> chosen;  // for the reference; any call so far had the same chance
    uint64_t mixed_calls = 0;
    int64_t calls_compared = 0;
    std::vector<double> empty_us;  // of bursts without calls, by the keeper
    std::vector<double> empty_event_us;
    std::vector<wire::Region> last_results;  // of the last burst
    std::vector<int64_t> last_digests;
    BurstCalls last_calls;  // in the order in which they were looked at
    int64_t calls_judged = 0;
    bool judges_all = true;
  };
  Result<void> ensure_prepared();
  Result<double> prepare_now();  // microseconds of the program's own prepare()
  Result<void> check_types(const char* what, const std::vector<TensorType>& given,
                           const std::vector<wire::TensorDescription>& described);
  Result<void> adopt_results(const CandidateCall& call, CallMemory& memory);
  std::vector<int> new_states_of_old() const;
  wire::Region old_state(const CallMemory& memory, size_t index) const;
  Result<void> place_call(const CandidateCall& call, CallMemory& memory);
  Result<void> fill_call(const CandidateCall& call, CallMemory& memory);
  Result<wire::CallArguments> bind_call(const CandidateCall& call, const CallMemory& memory);
  Result<void> place_workspace(const CallMemory& memory);
  Result<double> run_timed(const wire::CallArguments& arguments, const CandidateCall& call);
  static CandidateCall timed_call(const TimedDraw& draw);
  std::vector<TensorSpec> result_specs(const CallMemory& memory) const;
  Result<std::vector<uint64_t>> describe_call(const CandidateCall& call, CallMemory& memory);
  Result<void> place_ring(const CandidateCall& call, const TimingOptions& options);
  Result<void> hide(MemoryGroup& group, std::vector<uint64_t> sizes);
  Result<void> hide_draws(const std::vector<TimedDraw>& draws);
  Result<void> hide_results();
  Result<void> run_untimed();
  Result<void> bind_ring(const TimingOptions& options);
  enum class Burst : std::uint8_t { kCalls, kNoCalls, kOrderedCalls };
  Result<BlockTimes> burst(int calls, Burst kind);
  TimedCall choose_call(size_t set);
  BurstCalls choose_calls(int calls);
  bool is_mixed(const TimedCall& call, size_t tensor) const;
  void add_contents(const TimedCall& call, size_t tensor, const wire::Region& to,
                    KeeperClient::Contents& contents) const;
  Result<void> put_contents(const BurstCalls& calls);
  Result<std::vector<int64_t>> input_digests(const BurstCalls& calls);
  std::vector<wire::Region> results_of(const BurstCalls& calls) const;
  std::vector<wire::Region> kept_results_of(const BurstCalls& calls) const;
  Result<void> judge_results(const BurstCalls& calls, const std::vector<int64_t>& digests);
  Result<void> judge_call(const TimedCall& call);
  uint64_t most_chosen() const;
  Result<void> choose_for_reference();
  Result<void> repeat_calls();
  Result<void> judge_repeated(const TimedCall& call);
  Result<SaidOfCall> ask_reference(const TimedCall& call, const std::vector<HostTensor>& results);
  Unexpected fail_timed_call(const std::string& wrong);
  Result<void> warm_up(double block_us);
  Result<void> look_again();
  Result<std::vector<double>> time_series(int blocks, Timing& timing);
  Constants prepared_constants() const;
  Constants constants_of_ring() const;
  Constants call_constants(const CallMemory& memory) const;
  Result<void> poison_results(CallMemory& memory, CallTrial trial);
  Result<void> list_launches();
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
  TimedRing timed_;
};

}  // namespace stitch::evaluate
