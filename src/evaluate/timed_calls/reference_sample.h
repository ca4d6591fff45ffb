// SPDX-License-Identifier: Apache-2.0
// Timed calls on contents that nobody has drawn, of which the reference is asked: a few, chosen once they were made, so
// that any of them had the same chance.
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
  // The calls of the burst that has just been made; their results are still kept.
  Result<void> offer(const BurstCalls& made);
  // What the reference says of these results of a call.
  Result<SaidOfCall> ask(const TimedCall& call, const std::vector<HostTensor>& results);
  // What is wrong with one of those chosen: a sentence, or nothing. None is left.
  Result<std::optional<std::string>> judge_chosen();
  // So far; not those of which the reference said nothing.
  int64_t calls_compared() const { return calls_compared_; }

 private:
  struct ChosenCall {
    TimedCall call;
    std::vector<HostTensor> results;
  };
  uint64_t most_chosen() const;

  ProgramCalls& calls_;
  const TimedMemory& memory_;
  TimedContents& contents_;
  std::vector<ChosenCall> chosen_;
  uint64_t mixed_calls_ = 0;
  int64_t calls_compared_ = 0;
};

}  // namespace stitch::evaluate
