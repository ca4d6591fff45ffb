// SPDX-License-Identifier: Apache-2.0
// A random sample of the timed calls on mixed contents, about which the reference is asked. Calls are chosen after they
// were made, each with the same chance.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/timed_calls/timed_contents.h"

namespace stitch::evaluate {

class ReferenceSample {
 public:
  ReferenceSample(ProgramCalls& calls, const TimedMemory& memory, TimedContents& contents)
      : calls_(calls), memory_(memory), contents_(contents) {}

  void clear();
  // Offers the calls of the burst that has just been made, while their results are still kept.
  Result<void> offer(const BurstCalls& made);
  // Asks the reference about these results of a call.
  Result<SaidOfCall> ask(const TimedCall& call, const std::vector<HostTensor>& results);
  // Judges all chosen calls and forgets them. Returns a sentence about the first that is wrong, or nothing.
  Result<std::optional<std::string>> judge_chosen();
  // Calls compared so far, without those that the reference had no answer to.
  int64_t calls_compared() const { return calls_compared_; }

 private:
  struct ChosenCall {
    TimedCall call;
    std::vector<HostTensor> results;
  };
  uint64_t max_chosen() const;

  ProgramCalls& calls_;
  const TimedMemory& memory_;
  TimedContents& contents_;
  std::vector<ChosenCall> chosen_;
  uint64_t mixed_calls_ = 0;
  int64_t calls_compared_ = 0;
};

}  // namespace stitch::evaluate
