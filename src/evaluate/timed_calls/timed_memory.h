// SPDX-License-Identifier: Apache-2.0
// The memory of a timing: a ring of buffer sets that the worker has, and memory that it does not see, with the draws'
// contents, room for a mix of two, and the results of timed calls while the same calls are repeated.
#pragma once

#include <set>
#include <vector>

#include "evaluate/calls/program_calls.h"
#include "evaluate/timed_calls/timed_call.h"
#include "evaluate/timed_calls/timing.h"
#include "evaluate/timing/ring.h"

namespace stitch::evaluate {

class TimedMemory {
 public:
  struct Draw {
    TimedDraw given;
    std::vector<wire::Region> hidden;      // its inputs, then its states
    std::vector<int64_t> digests;          // of those
    std::set<std::vector<int64_t>> right;  // digests of results that were judged
    std::vector<HostTensor> untimed;       // what an untimed call gave
  };

  explicit TimedMemory(ProgramCalls& calls) : calls_(calls) {}

  // Hides contents, calls the program on each draw untimed where timed calls are judged, and places and binds the ring.
  // There are no mixes where memory does not suffice for them.
  // Nor is there a graph where no call was made: libraries plan in a first one, and none of that can be captured.
  Result<void> open(const TimedSubject& subject, const TimingOptions& options);
  // The ring's calls as graphs, once a call was made.
  Result<void> capture();

  // How inputs and states are mixed; none where each call has a draw as it is.
  const std::optional<Mixing>& mixing() const { return mixing_; }
  bool is_mixed(const TimedCall& call, size_t tensor) const;
  const Ring& ring() const { return ring_; }
  const std::vector<CallMemory>& sets() const { return sets_; }
  const CallMemory& set_of(const TimedCall& call) const { return sets_[call.set]; }
  std::vector<Draw>& draws() { return draws_; }
  const std::vector<Draw>& draws() const { return draws_; }
  // Room for the inputs, then states, of one mix.
  const std::vector<wire::Region>& scratch() const { return scratch_; }
  std::vector<wire::Region> results_of(const BurstCalls& calls) const;
  // Where these calls' results are kept when the clock stops; nowhere without a mixing.
  std::vector<wire::Region> kept_results_of(const BurstCalls& calls) const;
  // What stays from block to block: parameters, prepared memory and all red zones.
  ConstantMemory constants() const;

 private:
  Result<void> hide(MemoryGroup& group, std::vector<uint64_t> sizes);
  Result<void> hide_draws(const std::vector<TimedDraw>& draws);
  Result<void> hide_results();
  Result<void> run_untimed();
  Result<void> place_ring(const TimingOptions& options);
  Result<void> bind_ring(bool graph);

  ProgramCalls& calls_;
  std::optional<Mixing> mixing_;
  Ring ring_;
  MemoryGroup inputs_;  // of all sets; sets_ has their parts
  MemoryGroup results_;
  std::vector<CallMemory> sets_;
  std::vector<Draw> draws_;
  MemoryGroup hidden_;  // the draws' contents, and scratch_
  std::vector<wire::Region> scratch_;
  MemoryGroup kept_;  // of each set the results of its last timed call
};

}  // namespace stitch::evaluate
