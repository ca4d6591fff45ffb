// SPDX-License-Identifier: Apache-2.0
// What each timed call is given. Most have contents of their own, mixed of two draws, so that no answer to them can
// have been kept; some have a draw as it is, whose answer is known.
#pragma once

#include <vector>

#include "evaluate/processes/keeper_client.h"
#include "evaluate/timed_calls/timed_memory.h"

namespace stitch::evaluate {

class TimedContents {
 public:
  TimedContents(ProgramCalls& calls, const TimedMemory& memory) : calls_(calls), memory_(memory) {}

  // Chooses a set and contents for each call of a burst, by chance, so that nobody knows them before they are written.
  BurstCalls choose(int calls);
  // Poisons results and workspace, puts the contents into the sets, and starts the clock.
  Result<void> put(const BurstCalls& calls);
  // Digests of these calls' inputs as they were given, call after call.
  Result<std::vector<int64_t>> input_digests(const BurstCalls& calls);
  // Inputs, then states, as one call was given them.
  Result<std::vector<HostTensor>> given_to(const TimedCall& call);

 private:
  TimedCall choose_call(size_t set);
  void add(const TimedCall& call, size_t tensor, const wire::Region& to, KeeperClient::Contents& contents) const;

  ProgramCalls& calls_;
  const TimedMemory& memory_;
};

}  // namespace stitch::evaluate
